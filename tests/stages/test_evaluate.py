"""evaluate reads exactly the files that its parameters ask for."""

import numpy as np
import pytest
from copies import SMOKE, Place

from stages import evaluate
from stages.io import files
from stages.study import measures

TITLES = {"iris": "Iris", "caesarian": "Caesarian"}
N_CLASSES = {"iris": 3, "caesarian": 2}
CHOSEN = measures.chosen(measures.OF_THE_PAPER)


def write_predictions(dataset: str, baseline: str, y: np.ndarray) -> None:
    scores = np.eye(N_CLASSES[dataset])[y]
    arrays = {f"{search}_labels": y for search in ("default", "grid")}
    arrays |= {f"{search}_scores": scores for search in ("default", "grid")}
    files.write_arrays(files.MODELS / "baselines" / baseline / f"{dataset}.npz", arrays)


@pytest.fixture
def labels(place: Place) -> dict[str, np.ndarray]:
    """True classes of two resplits of each dataset, as predicted by every suitable classifier."""
    rng = np.random.default_rng(0)
    result = {}
    for dataset, C in N_CLASSES.items():
        y = np.stack([rng.permutation(np.arange(12) % C) for _ in range(2)])
        files.write_arrays(files.RESPLITS / f"{dataset}.npz", {"y_test": y, "classes": np.arange(C)})
        result[dataset] = y
        write_predictions(dataset, "knn", y)
    write_predictions("caesarian", "dnm", result["caesarian"])
    return result


def test_a_binary_classifier_has_binary_datasets_only(place: Place, labels: dict[str, np.ndarray]) -> None:
    parameters = place.parameters(*SMOKE, "baselines=[knn,dnm]")
    runs = evaluate._judge_baselines("baselines", parameters, TITLES, CHOSEN)
    found = runs.groupby(["dataset", "baseline"])["run"].count().to_dict()
    assert found == {("iris", "knn"): 4, ("caesarian", "knn"): 4, ("caesarian", "dnm"): 4}
    assert (runs[["acc", "auc"]] == 1).all(axis=None)


def test_a_lost_file_of_a_baseline_is_an_error(place: Place, labels: dict[str, np.ndarray]) -> None:
    parameters = place.parameters(*SMOKE, "baselines=[knn,dnm]")
    (files.MODELS / "baselines/dnm/caesarian.npz").unlink()
    with pytest.raises(FileNotFoundError, match=r"dnm/caesarian\.npz"):
        evaluate._judge_baselines("baselines", parameters, TITLES, CHOSEN)


def test_without_baselines_there_are_no_rows_but_all_columns(place: Place) -> None:
    parameters = place.parameters(*SMOKE, "baselines=[]")
    runs = evaluate._judge_baselines("baselines", parameters, TITLES, CHOSEN)
    assert runs.empty and {"baseline", "acc", "auc"} <= set(runs)


def test_an_unknown_measure_is_refused_before_anything_is_read(place: Place) -> None:
    with pytest.raises(ValueError, match=r"measures is \['acc'\]; allowed: acc and auc"):
        place.variant(SMOKE, "measures=[acc]")
