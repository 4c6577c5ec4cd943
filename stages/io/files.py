"""Where the stages keep their files, and how they write them: to a temporary file first, then os.replace."""

import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from stages.config.composition import ROOT
from stages.io.entrypoint import StageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

RAW = ROOT / "data/raw"
TABLES = ROOT / "data/tables"  # fetch
TABLE1 = ROOT / "data/table1.csv"  # fetch
SPLITS = ROOT / "data/splits"  # split
RESPLITS = ROOT / "data/resplits"  # resplit: of the studies `baselines`, `circuits` and `arena`
EXTRA = ROOT / "data/extra"  # resplit: of the study `extra`
TARGETS = ROOT / "data/targets"  # resplit: of the study `targets`
MODELS = ROOT / "data/models"  # tune, train, fit: results, a function of parameters, data and seed alone
PROVENANCE = ROOT / "data/provenance"  # tune, train, fit: how results were made
SOURCES = ROOT / "data/sources"  # sources: hashes of what trainings and fits import
STORE = ROOT / "data/store"  # tune, train, fit: finished tasks by the fingerprint of their causes
VALUES = "values.json"  # tune: the values found, by dataset, in the folder of its results
EXAMPLES = ROOT / "data/examples.npz"  # evaluate: neurons and a circuit to draw
OF_CIRCUIT = "circuit/"  # how the names of the circuit's arrays begin in it
PART = ".part"  # suffix of temporary files, which git and DVC ignore

# Columns of tables that are text even where it looks like a number, or like a missing one: 007, NA.
TEXT = (
    *("dataset", "title", "model", "optimizer", "baseline", "name", "method", "study", "search"),
    *("task", "predictor", "measure", "settings"),
    *("claim", "ours", "verdict", "circuit", "yosys"),
)

FORMAT = 1  # of the .npz files: raised when their content changes, so that older ones are not misread


def resplits_of(study: str) -> Path:
    """The parts that the classifiers of a study share."""
    return {"extra": EXTRA, "targets": TARGETS}.get(study, RESPLITS)


def report_folder(profile: str) -> Path:
    """What a reviewer reads."""
    return ROOT / "reports" / profile


def write_text(path: Path, text: str) -> None:
    """Write a text file, or leave the old one as it is."""
    _replace(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write JSON with a stable layout."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    """Read what write_json has written."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise StageError(f"{_name(path)} is damaged; `dvc repro` restores it ({error})") from None


def write_csv(path: Path, frame: "pd.DataFrame") -> None:
    """Write a CSV whose numbers read back to the same values."""
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))


def read_csv(path: Path) -> "pd.DataFrame":
    """Read a CSV written by write_csv; one without rows or columns is an empty frame."""
    import pandas as pd

    size = path.stat().st_size
    if size == 0:
        raise StageError(f"{_name(path)} is empty; `dvc repro` restores it")
    if size == 1:
        return pd.DataFrame()
    numbers = pd.read_csv(path, nrows=0).columns.difference(TEXT)
    missing = dict.fromkeys(numbers, "")
    return pd.read_csv(path, dtype=dict.fromkeys(TEXT, str), keep_default_na=False, na_values=missing)


def write_arrays(path: Path, arrays: "dict[str, np.ndarray]") -> None:
    """Write an .npz; the same arrays give the same bytes."""

    def save(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            save_arrays(stream, arrays)

    _replace(path, save)


def save_arrays(stream: IO[bytes], arrays: "dict[str, np.ndarray]") -> None:
    """What write_arrays writes, into an open file."""
    import numpy as np

    np.savez(stream, allow_pickle=False, format=np.array(FORMAT), **arrays)


def read_arrays(path: Path) -> "dict[str, np.ndarray]":
    """Read an .npz written by write_arrays."""
    import numpy as np

    content = path.read_bytes()
    name = _name(path)
    if not content.startswith(b"PK"):  # NumPy would take it for a pickle
        raise StageError(f"{name} is damaged; `dvc repro` restores it (it is no .npz)")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {key: np.asarray(stored[key]) for key in stored}
    except Exception as error:  # NumPy, zipfile and zlib raise all kinds of errors
        raise StageError(f"{name} is damaged; `dvc repro` restores it ({error})") from None
    version = arrays.pop("format", None)
    if version is None or not np.array_equal(version, FORMAT):
        found = "no format number" if version is None else f"format {version}"
        raise StageError(
            f"{name} was written by another version of modn: it has {found}, this one reads {FORMAT}; "
            "`dvc repro --force` makes it anew"
        )
    return arrays


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill; it replaces the old one when it is complete."""
    _prepare(folder)
    fresh = Path(tempfile.mkdtemp(PART, f".{folder.name}-", folder.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
        if folder.exists():
            shutil.rmtree(folder)
        fresh.replace(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _name(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    _prepare(path)
    handle, name = tempfile.mkstemp(PART, f".{path.name}-", path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)  # the error of a full disk names no file
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _prepare(path: Path) -> None:
    """Make the parent folder, and remove what a killed process left half written for the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in path.parent.glob(f".{path.name}-*{PART}"):
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()
