"""split: the stored parts are those of the protocol, for every table of the paper."""

import numpy as np
import pandas as pd
import pytest
from copies import FEW_FITS, Place

from stages.fetch import fetch
from stages.io import files
from stages.io.entrypoint import StageError
from stages.split import split

SOUND = (*FEW_FITS, "datasets=[glass,heart_disease]", "split=sound", "runs=4")


def stored(place: Place, name: str) -> dict[str, np.ndarray]:
    return files.read_arrays(place.root / f"data/splits/{name}.npz")


@pytest.mark.slow
def test_published_is_the_authors_split_of_every_table(place: Place) -> None:
    from sklearn.model_selection import train_test_split

    parameters = place.parameters(*FEW_FITS)
    fetch(parameters)
    split(parameters)
    for name, dataset in parameters.datasets.items():
        table = pd.read_csv(place.root / f"data/tables/{name}.csv")
        parts = stored(place, name)
        train, test = train_test_split(table, test_size=dataset.test_size, random_state=22)
        assert parts["classes"][parts["y_train"][0]].tolist() == train.iloc[:, -1].astype(str).tolist()
        assert parts["classes"][parts["y_test"][0]].tolist() == test.iloc[:, -1].astype(str).tolist()
        assert parts["features"].tolist() == table.columns[:-1].tolist()
        median = train.iloc[:, :-1].median()
        for part, frame in (("X_train", train), ("X_test", test)):
            values = frame.iloc[:, :-1].fillna(median)
            width = values.max() - values.min()
            expected = ((values - values.min()) / width.where(width > 0, 1)).to_numpy()
            np.testing.assert_allclose(parts[part], expected[None], atol=1e-12)
    # the floors seen in the paper's Table 3: what always answering with the largest class would get
    for name, share in (("blood_transfusion", 0.7400), ("car", 0.7071)):
        y_test = stored(place, name)["y_test"][0]
        assert round(np.bincount(y_test).max() / len(y_test), 4) == share


def test_sound_has_a_stratified_split_per_run(place: Place) -> None:
    parameters = place.parameters(*SOUND)
    fetch(parameters)
    split(parameters)
    for name in ("glass", "heart_disease"):
        parts = stored(place, name)
        table = pd.read_csv(place.root / f"data/tables/{name}.csv")
        labels, y_test = table.iloc[:, -1].astype(str).to_numpy(), parts["y_test"]
        assert len(y_test) == len(parts["X_train"]) == 4
        assert len({tuple(sorted(rows)) for rows in parts["test_rows"].tolist()}) == 4
        for k in range(4):
            assert (labels[parts["test_rows"][k]] == parts["classes"][y_test[k]]).all()
            share = np.bincount(y_test[k], minlength=len(parts["classes"])) / len(y_test[k])
            overall = pd.Series(labels).value_counts(normalize=True)[parts["classes"]].to_numpy()
            assert np.abs(share - overall).max() <= 1 / len(y_test[k])
            train = table.iloc[parts["train_rows"][k], :-1]
            train = train.fillna(train.median())
            scaled = ((train - train.min()) / (train.max() - train.min())).to_numpy()
            np.testing.assert_allclose(parts["X_train"][k], scaled, atol=1e-12)
        assert not np.isnan(parts["X_test"]).any()


def test_run_k_has_the_same_split_however_many_runs_there_are(place: Place) -> None:
    parameters = place.parameters(*SOUND)
    fetch(parameters)
    parts = {}
    for runs in (2, 4):
        parameters.split.count = runs
        split(parameters)
        parts[runs] = stored(place, "glass")["test_rows"]
        assert len(parts[runs]) == runs
    np.testing.assert_array_equal(parts[2], parts[4][:2])


def test_splitting_again_gives_the_same_bytes(place: Place) -> None:
    parameters = place.parameters(*SOUND)
    fetch(parameters)
    split(parameters)
    before = place.made()
    split(parameters)
    assert place.made() == before


def test_a_split_that_cannot_be_made_names_the_dataset(place: Place) -> None:
    parameters = place.variant(SOUND, "datasets.glass.test_size=2")
    fetch(parameters)
    with pytest.raises(StageError, match=r"^glass: .*test_size"):
        split(parameters)


def test_missing_tables_are_named(place: Place) -> None:
    """In the message that test_bad_input.py checks."""
    with pytest.raises(FileNotFoundError, match="data/tables/"):
        split(place.parameters(*SOUND))
    assert place.made() == {}
