"""A CSV file, and the model that `modn fit` makes of it."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import ROWS, run


def write_insects(folder: Path) -> Path:
    """Three kinds that differ by length, colour and, hardly, sex."""
    rng = np.random.default_rng(0)
    kind = np.arange(ROWS) % 3
    table = pd.DataFrame(
        {
            "id": [f"i{k}" for k in range(ROWS)],
            "length": np.round(10 + 20 * kind + rng.normal(size=ROWS), 2),
            "colour": np.array(["dark", "light", "red"])[kind],
            "sex": np.array(["f", "m"])[rng.integers(2, size=ROWS)],
            "kind": np.array(["ant", "bee", "wasp, small"])[kind],
        }
    )
    table.to_csv(folder / "insects.csv", index=False)
    return folder / "insects.csv"


@pytest.fixture
def insects(tmp_path: Path) -> Path:
    return write_insects(tmp_path)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    insects = write_insects(tmp_path_factory.mktemp("trained"))
    path = insects.with_name("insects.modn")
    assert run("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", path) == 0
    return path


@pytest.fixture
def model(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(trained, tmp_path))
