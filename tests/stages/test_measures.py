"""The measures: found by their files, defined on labels and scores, checked as a list."""

import numpy as np
import pytest

from stages.config.schema import TASKS
from stages.study import measures

Y = np.array([0, 1, 2, 1, 0, 2])
PERFECT = np.eye(3)[Y]


def judged(measure: measures.Measure, scores: np.ndarray) -> float:
    """What a measure says of scores, which predict classes, labels or numbers as its task has them."""
    if measure.task == "classification":
        return measure.compute(Y, scores.argmax(axis=1), scores)
    return measure.compute(PERFECT, scores, scores)


@pytest.mark.parametrize("name", measures.names())
def test_a_measure_has_the_name_of_its_file_and_is_best_for_perfect_predictions(name: str) -> None:
    measure = measures.get(name)
    assert measure.name == name
    best = judged(measure, PERFECT)
    assert isinstance(best, float)
    assert measure.better(best) > measure.better(judged(measure, np.roll(PERFECT, 1, axis=0)))
    if measure.spread_within is not None:
        lowest, highest = measure.spread_within
        assert lowest <= best <= highest


def test_accuracy_is_of_the_labels_and_auc_of_the_scores() -> None:
    labels = np.array([0, 1, 2, 1, 1, 1])
    assert measures.get("acc").compute(Y, labels, PERFECT) == pytest.approx(4 / 6)
    assert measures.get("auc").compute(Y, labels, PERFECT) == 1


@pytest.mark.parametrize("name", ["log_loss", "ece"])
def test_scores_that_are_no_probabilities_are_not_judged_as_such(name: str) -> None:
    measure = measures.get(name)
    for scores in (PERFECT * 2 - 1, PERFECT * 2):
        assert np.isnan(measure.compute(Y, Y, scores))
    assert measure.compute(Y, Y, PERFECT.astype(np.float32)) == pytest.approx(0, abs=1e-6)


def test_the_baselines_have_each_measure_once() -> None:
    chosen = measures.of_baselines(["acc", "auc", "ece"], ["log_loss", "ece"])
    assert [measure.name for measure in chosen] == ["acc", "auc", "ece", "log_loss"]


def test_those_of_the_paper_may_be_followed_by_others() -> None:
    assert [measure.name for measure in measures.chosen(["auc", "acc"])] == ["auc", "acc"]
    measures.check(measures.names("classification"))


def test_a_measure_knows_its_task() -> None:
    by_task = {task: measures.names(task) for task in ("classification", *TASKS)}
    assert sorted(name for names in by_task.values() for name in names) == measures.names()
    assert {"r2", "rmse"} <= set(by_task["regression"]) and "micro_f1" in by_task["labels"]
    columns = ["dataset", "rmse_mean", "r2_mean", "acc_mean"]
    assert [m.name for m in measures.of_task("regression", columns, "_mean")] == ["rmse", "r2"]


def test_numbers_and_labels_are_measured_by_their_definitions() -> None:
    y, told = np.array([[0.0, 10], [2, 20], [4, 30]]), np.array([[0.0, 14], [2, 20], [4, 26]])
    assert measures.get("r2").compute(y, told, told) == pytest.approx(1 - 32 / 200 / 2)
    assert measures.get("rmse").compute(y, told, told) == pytest.approx(np.sqrt(32 / 3) / 2)
    has, said = np.array([[1, 0, 0], [1, 1, 0]]), np.array([[1, 1, 0], [0, 1, 0]])  # 2 hits, 1 miss, 1 more
    assert measures.get("micro_f1").compute(has, said, said) == pytest.approx(2 / 3)
    assert measures.get("macro_f1").compute(has, said, said) == pytest.approx(4 / 9)
    assert measures.get("hamming").compute(has, said, said) == pytest.approx(2 / 6)
    scores = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1]])
    assert measures.get("label_auc").compute(has, said, scores) == 1  # of the second label alone
    assert np.isnan(measures.get("label_auc").compute(np.ones((2, 3)), said, scores))


@pytest.mark.parametrize(
    "wanted", [[], ["acc"], ["acc", "auc", "acc"], ["acc", "auc", "speed"], ["acc", "auc", "r2"]]
)
def test_other_lists_are_refused(wanted: list[str]) -> None:
    with pytest.raises(ValueError, match=r"measures is \[.*\]; allowed: acc and auc"):
        measures.chosen(wanted)
    with pytest.raises(ValueError, match=r"measure is 'speed'; allowed: .*acc"):
        measures.get("speed")
