"""Writing: all of a file or nothing of it, and the same bytes for the same values."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.io import files
from stages.io.entrypoint import StageError


def test_arrays_come_back_as_they_were_and_give_the_same_bytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    arrays = {"a": rng.random((3, 2)), "b": np.array(["x", "longer"]), "c": np.array(True)}
    files.write_arrays(tmp_path / "new/folder/one.npz", arrays)
    files.write_arrays(tmp_path / "two.npz", {key: value.copy() for key, value in arrays.items()})
    one, two = tmp_path / "new/folder/one.npz", tmp_path / "two.npz"
    assert one.read_bytes() == two.read_bytes()
    read = files.read_arrays(one)
    assert list(read) == list(arrays)
    for key, value in arrays.items():
        assert read[key].dtype == value.dtype
        np.testing.assert_array_equal(read[key], value)


def test_nothing_pickled_is_written_or_read(tmp_path: Path) -> None:
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle"):
        files.write_arrays(tmp_path / "a.npz", {"objects": objects})
    assert list(tmp_path.iterdir()) == []
    with (tmp_path / "a.npz").open("wb") as stream:
        np.savez(stream, objects=objects)  # pickled, as NumPy does by default
    with pytest.raises(StageError, match=r"a\.npz is damaged; `dvc repro` restores it .*allow_pickle=False"):
        files.read_arrays(tmp_path / "a.npz")


def test_a_failing_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    files.write_json(path, {"b": 1, "a": 2})
    before = path.read_bytes()
    with pytest.raises(TypeError, match="serializable"):
        files.write_json(path, {"b": object()})
    with pytest.raises(UnicodeEncodeError):
        files.write_text(path, "half of it \ud800")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_json_has_a_stable_layout(tmp_path: Path) -> None:
    files.write_json(tmp_path / "a.json", {"b": [1], "a": 0.1})
    files.write_json(tmp_path / "b.json", {"a": 0.1, "b": [1]})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": 0.1, "b": [1]}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000])
def test_damaged_json_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(StageError, match=r"a\.json is damaged; `dvc repro` restores it"):
        files.read_json(tmp_path / "a.json")


def test_a_csv_keeps_every_digit(tmp_path: Path) -> None:
    numbers = [0.1 + 0.2, 1e-300, np.pi]
    files.write_csv(tmp_path / "a.csv", pd.DataFrame({"x": numbers, "y": ["a", "", "c,d"]}))
    read = pd.read_csv(tmp_path / "a.csv", dtype=str, keep_default_na=False)
    assert [float(text) for text in read["x"]] == numbers
    assert read["y"].tolist() == ["a", "", "c,d"]
    assert b"\r" not in (tmp_path / "a.csv").read_bytes()


def test_a_folder_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "data/tables"
    with files.replaced_folder(folder) as fresh:
        (fresh / "old.csv").write_text("old")
    with pytest.raises(RuntimeError, match="half way"), files.replaced_folder(folder) as fresh:
        (fresh / "new.csv").write_text("new")
        raise RuntimeError("half way")
    assert [p.name for p in folder.iterdir()] == ["old.csv"]
    with files.replaced_folder(folder) as fresh:
        (fresh / "new.csv").write_text("new")
    assert [p.name for p in folder.iterdir()] == ["new.csv"]
    assert [p.name for p in folder.parent.iterdir()] == ["tables"]


def test_what_a_killed_process_was_writing_is_cleared_by_the_next(tmp_path: Path) -> None:
    (tmp_path / ".a.json-k2x8.part").write_text("half of")
    (tmp_path / ".folder-k2x8.part").mkdir()
    (tmp_path / ".folder-k2x8.part/b.csv").write_text("half of")
    files.write_json(tmp_path / "a.json", 1)
    with files.replaced_folder(tmp_path / "folder"):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "folder"]


def test_on_a_full_disk_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_arrays(tmp_path / "a.npz", {"x": np.arange(3)})
    before = (tmp_path / "a.npz").read_bytes()
    written = Path.open
    with monkeypatch.context() as patch, pytest.raises(OSError, match=r"No space left.*a\.npz"):
        # the system's own full disk, in the place of the temporary file
        patch.setattr(Path, "open", lambda path, mode: written(Path("/dev/full"), mode))
        files.write_arrays(tmp_path / "a.npz", {"x": np.arange(3000)})
    assert (tmp_path / "a.npz").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_others_may_read_what_is_written(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a.txt", "a")
    with files.replaced_folder(tmp_path / "folder"):
        pass
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o755
