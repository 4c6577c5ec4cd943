"""A CSV file, and the model that `modn fit` makes of it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import ROWS, run


@pytest.fixture
def insects(tmp_path: Path) -> Path:
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
    table.to_csv(tmp_path / "insects.csv", index=False)
    return tmp_path / "insects.csv"


@pytest.fixture
def model(insects: Path) -> Path:
    path = insects.with_name("insects.modn")
    assert run("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", path) == 0
    return path
