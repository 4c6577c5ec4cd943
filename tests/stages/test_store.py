"""data/store: it saves work, and changes no byte; nothing is taken from it whose causes have changed."""

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from copies import ROOT, SMOKE, Place, Project, contents, from_store
from one_training import PAIR, entries, prepared, trained

from stages.config.schema import Runtime
from stages.fetch import fetch
from stages.fit import fit
from stages.io import files, machine, provenance, sources, store
from stages.io.entrypoint import StageError
from stages.io.store import Store
from stages.resplit import resplit
from stages.tools import sources as sources_stage
from stages.train import train

RESULT = ({"x": np.arange(100.0)}, {"training": 1.5})


@pytest.mark.slow
def test_more_runs_compute_only_those_and_give_the_bytes_of_a_run_from_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    train(prepared(place, "runs=3"), *PAIR)
    assert from_store(capsys.readouterr().out) == 0
    train(prepared(place, "runs=5"), *PAIR)
    assert from_store(capsys.readouterr().out) == 2 * 3
    grown = trained(place)
    place.forget()
    train(prepared(place, "runs=5"), *PAIR)
    assert from_store(capsys.readouterr().out) == 0
    assert trained(place) == grown


@pytest.mark.slow
def test_fewer_or_more_datasets_repeat_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    train(prepared(place, "datasets=[iris]"), *PAIR)
    one = trained(place)
    train(prepared(place), *PAIR)
    assert from_store(capsys.readouterr().out) == 2
    assert one.items() < trained(place).items()
    train(prepared(place, "datasets=[iris]"), *PAIR)
    assert from_store(capsys.readouterr().out) == 2
    assert trained(place) == one


CAUSES = [
    ["seed=200"],
    ["alpha_s=5"],
    ["alpha_t=2"],
    ["dendrites_per_class=3"],
    ["max_iterations=4"],
    ["optimizers.bbo.population=20"],
    ["split.seed=1"],
    ["datasets.iris.test_size=50", "datasets.caesarian.test_size=10"],
]
NO_CAUSES = [["models.modnf.title=X"], ["runtime.workers=2"], ["comparison.modn=[]"], ["resplits=1"]]


@pytest.mark.slow
def test_another_cause_is_another_training(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    for overrides in ([], *CAUSES):
        train(prepared(place, *overrides), *PAIR)
        assert from_store(capsys.readouterr().out) == 0, overrides


@pytest.mark.slow
def test_what_is_no_cause_repeats_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    train(prepared(place), *PAIR)
    for overrides in NO_CAUSES:
        capsys.readouterr()
        train(prepared(place, *overrides), *PAIR)
        assert from_store(capsys.readouterr().out) == 4, overrides


@pytest.mark.slow
def test_fits_are_stored_as_well(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    def fitted(*overrides: str) -> dict[str, bytes]:
        parameters = place.variant(SMOKE, "baselines.knn.grid.n_neighbors=[3]", *overrides)
        fetch(parameters)
        resplit(parameters)
        fit(parameters, "baselines", "knn")
        return contents(place.root, "data/models/baselines/knn")

    first = fitted()
    assert from_store(capsys.readouterr().out) == 0
    assert fitted("baselines.knn.title=X") == first
    assert from_store(capsys.readouterr().out) == 4
    fitted("resplits=3")
    assert from_store(capsys.readouterr().out) == 4
    fitted("grid_folds=3")
    assert from_store(capsys.readouterr().out) == 0


@pytest.mark.slow
def test_versions_and_the_processor_are_causes(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = prepared(place)
    train(parameters, *PAIR)
    for name, found in (("versions", machine.versions()), ("processor", machine.processor())):
        for key in found:
            with monkeypatch.context() as changed:
                changed.setattr(machine, name, lambda other={**found, key: "another"}: other)
                train(parameters, *PAIR)
                assert from_store(capsys.readouterr().out) == 0, key


@pytest.mark.slow
def test_the_environment_is_part_of_the_processor() -> None:
    code = "import json; from stages.io import machine; print(json.dumps(machine.processor()))"

    def found(**environment: str) -> dict[str, str]:
        command = [sys.executable, "-c", code]
        return dict(json.loads(subprocess.check_output(command, env=os.environ | environment, cwd=ROOT)))

    usual = machine.processor()
    assert found(NUMBA_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2") == usual
    blas = "Haswell" if "Haswell" not in usual["BLAS"] else "Nehalem"
    other = found(NUMBA_CPU_NAME="generic", OPENBLAS_CORETYPE=blas)
    assert {key for key in usual if usual[key] != other[key]} == {"Numba's target", "BLAS"}


def test_an_edited_source_is_another_cause(
    place: Place, runnable: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a kernel, of the optimizer; but of no progress bar."""
    monkeypatch.setattr(sources, "ROOT", runnable.root)
    monkeypatch.setattr(sources, "__file__", str(runnable.root / "stages/io/sources.py"))
    parameters = prepared(place)
    train(parameters, *PAIR)
    edited = {"stages/io/progress.py": 4, "modn/optimizers/pso.py": 4}
    for name, reused in (edited | {"modn/optimizers/bbo.py": 0, "modn/loss.py": 0}).items():
        with (runnable.root / name).open("a") as source:
            source.write("# edited\n")
        capsys.readouterr()
        train(parameters, *PAIR)
        assert from_store(capsys.readouterr().out) == reused, name


def test_a_source_that_is_edited_meanwhile_leaves_nothing_behind(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = iter(["before", *["after"] * 10])
    monkeypatch.setattr(sources, "digest", lambda files: next(digests))
    train(prepared(place), *PAIR)
    assert entries(place.root) == []


@functools.cache
def hashed() -> dict[str, str]:
    """What the stage `sources` writes for the training."""
    found = (imported for name, imported in sources_stage.closures() if name == "train/modn-bbo")
    return sources.hashes(next(found))


def record_sources(*edited: str) -> None:
    """The same, had it seen other contents of some files."""
    files.write_json(files.SOURCES / "train/modn-bbo.json", hashed() | dict.fromkeys(edited, "old"))


@pytest.mark.parametrize("edited", ["modn/optimizers/bbo.py", "modn/fast/kernels.py"])
def test_dvc_never_records_what_sources_that_were_edited_meanwhile_gave(
    place: Place, edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = prepared(place)
    monkeypatch.setenv("DVC_STAGE", "train")
    record_sources("modn/optimizers/pso.py", "stages/io/progress.py")  # it uses neither in its tasks
    train(parameters, *PAIR)
    before = trained(place)
    place.forget()
    record_sources(edited)
    message = f"{edited} was edited while the pipeline was at work; rerun the same command"
    with pytest.raises(StageError, match=re.escape(message)):
        train(parameters, *PAIR)
    assert trained(place) == before and entries(place.root) == []
    monkeypatch.delenv("DVC_STAGE")  # by hand
    train(parameters, *PAIR)
    assert trained(place) == before


def test_an_edit_during_the_tasks_ends_a_run_of_dvc(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = prepared(place)
    monkeypatch.setenv("DVC_STAGE", "train")
    record_sources()
    digests, hashes = iter(["before", "before", *["after"] * 10]), sources.hashes
    whole = iter([True, False])
    monkeypatch.setattr(sources, "digest", lambda files: next(digests))
    monkeypatch.setattr(
        sources, "hashes", lambda files: hashes(files) if next(whole) else {"modn/loss.py": ""}
    )
    with pytest.raises(StageError, match=r"modn/loss\.py was edited while the pipeline was at work"):
        train(parameters, *PAIR)
    assert len(entries(place.root)) == 1, "what was finished before is kept"


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "foreign", "folder"])
def test_a_damaged_entry_is_computed_again_with_a_warning(
    place: Place, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = prepared(place)
    train(parameters, *PAIR)
    whole = trained(place)
    path = entries(place.root)[0]
    content = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        middle = len(content) // 2
        path.write_bytes(
            {
                "truncated": content[:middle],
                "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
                "empty": b"",
                "foreign": b"\x80\x04K\x01.",  # a pickle
            }[damage]
        )
    capsys.readouterr()
    train(parameters, *PAIR)
    captured = capsys.readouterr()
    assert f"store: {path.name} is damaged; it is computed again" in captured.err
    assert from_store(captured.out) == 3
    assert trained(place) == whole
    if damage != "folder":
        assert files.read_arrays(path).keys() >= {"parameters", "curve"}


def test_the_seconds_are_kept(place: Place) -> None:
    train(prepared(place), *PAIR)
    first = provenance.read("comparison", "modnf-bbo")
    train(prepared(place), *PAIR)
    again = provenance.read("comparison", "modnf-bbo")
    assert first is not None and again is not None
    assert first["stored_seconds"] == 0
    assert again["core_seconds"] == pytest.approx(first["core_seconds"])
    assert again["stored_seconds"] == pytest.approx(sum(first["core_seconds"].values()))


def test_a_record_of_other_results_is_no_record(place: Place) -> None:
    train(prepared(place), *PAIR)
    assert provenance.read("comparison", "modnf-bbo") is not None
    assert provenance.read("comparison", "modnf-pso") is None
    path = place.root / "data/models/comparison/modnf-bbo/iris.npz"
    path.write_bytes(path.read_bytes() + b" ")
    assert provenance.read("comparison", "modnf-bbo") is None


def test_the_least_recently_used_are_dropped(tmp_path: Path) -> None:
    keys = [character * 64 for character in "abcde"]
    kept = Store(tmp_path / "store", 1)
    for age, key in enumerate(keys):
        kept.put(key, *RESULT)
        os.utime(kept._path(key), (1000 + age, 1000 + age))
    size = kept._path(keys[0]).stat().st_size
    assert kept.get(keys[0]) is not None  # used just now
    kept.limit = 3 * size
    kept.trim()
    assert [key for key in keys if kept.get(key) is not None] == ["a" * 64, "d" * 64, "e" * 64]
    leftover = tmp_path / "store/aa/.killed.part"
    leftover.write_bytes(bytes(size))
    os.utime(leftover, (0, 0))
    kept.trim()
    assert not leftover.exists()
    kept.limit = 0
    kept.trim()
    assert not list(tmp_path.glob("store/*/*"))


def test_a_stage_keeps_the_store_below_its_size(place: Place) -> None:
    train(prepared(place, "runtime.store_mib=0"), *PAIR)
    assert entries(place.root) == []
    assert trained(place)


def test_a_store_that_cannot_be_written_is_told_of_once(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = prepared(place)
    (place.root / "data/store").write_text("no folder")
    train(parameters, *PAIR)
    assert capsys.readouterr().err.count("store: store cannot be written") == 1
    assert len(trained(place)) == 2


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x"])
def test_what_has_no_plain_value_is_no_cause(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be part of a fingerprint"):
        store.fingerprint({"value": value})


def test_a_fingerprint_tells_values_apart() -> None:
    one = np.zeros((2, 3))
    values = [
        one, one.reshape(3, 2), one.astype(np.float32), one + 1, 0, 0.5, "0", None, [], [0],
        {"a": 0}, {"b": 0}, Runtime(), replace(Runtime(), workers=2),
    ]  # fmt: skip
    assert len({store.fingerprint({"value": value}) for value in values}) == len(values)
    assert store.fingerprint({"a": (1, 2), "b": 3}) == store.fingerprint({"b": 3, "a": [1, 2]})
