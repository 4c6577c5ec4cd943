"""Whatever is wrong with a file, a dataset or a value: a message, an exit code, and nothing changed on disk.

Datasets are in test_fetch.py, parameters in test_refused_overrides.py and test_bad_parameters.py; here are
the files between the stages, params.yaml, and targets that cannot be written.
"""

import errno
import io
import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from copies import LEAST, Place, Project, composed, contents

from stages.evaluate import evaluate
from stages.fetch import fetch
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.split import split
from stages.tools import params
from stages.train import ARGUMENTS, train

TRAIN = ["study=comparison", "model=modnf", "optimizer=bbo"]
MADE: dict[tuple[str, str], dict[str, bytes]] = {}  # by parameters and last stage: what the stages wrote


class Commands:
    """The stages as they are called on the command line, in this process."""

    def __init__(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place, self.root, self.monkeypatch = place, place.root, monkeypatch
        self.configure()

    def configure(self, *overrides: str) -> None:
        (self.root / "params.yaml").write_text(composed(*overrides))

    def run(self, name: str, *arguments: str) -> str | int | None:
        """What a stage leaves behind: None, a message, or an exit code."""
        self.monkeypatch.setattr(sys, "argv", [name, *arguments])
        stages: dict[str, Callable[..., None]] = {"fetch": fetch, "split": split, "evaluate": evaluate}
        try:
            if name == "params":
                params.main()
            elif name == "train":
                entrypoint.run(name, "", train, ARGUMENTS)
            else:
                entrypoint.run(name, "", stages[name])
        except SystemExit as end:
            return end.code
        return None

    def until(self, last: str) -> None:
        """Run the stages up to one; with the same parameters it is done once, and copied."""
        key = (self.root / "params.yaml").read_text(), last
        if key not in MADE:
            stages = ("fetch", "split", "train", "evaluate")
            for name in stages[: stages.index(last) + 1]:
                assert self.run(name, *(TRAIN if name == "train" else [])) is None
            MADE[key] = {
                name: content
                for folder in ("data", "reports")
                for name, content in contents(self.root, folder, leave_out="data/raw").items()
            }
        self.place.restore(MADE[key])

    def refuse(self, name: str, *arguments: str, because: Sequence[str]) -> None:
        before = contents(self.root, ".")
        message = self.run(name, *arguments)
        # sys.exit(<text>) prints it to stderr and gives the exit code 1
        assert isinstance(message, str) and message.startswith(f"{name}: "), message
        assert all(part in message for part in because), message
        assert contents(self.root, ".") == before


@pytest.fixture
def commands(place: Place, monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(place, monkeypatch)


# Files between the stages


def npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def foreign_member() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../../outside.npy", npy(np.zeros(3)))
    return stream.getvalue()


class Bomb:
    """An object whose pickle would run a command when it is loaded."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (66,)


DAMAGE = {
    "truncated": (lambda good: good[: len(good) // 2], "is damaged; `dvc repro` restores it"),
    "one bit": (lambda good: good[:300] + bytes([good[300] ^ 1]) + good[301:], "is damaged"),
    "empty": (lambda good: b"", "(it is no .npz)"),
    "text": (lambda good: b"X_train\n1\n", "(it is no .npz)"),
    "one array": (lambda good: npy(np.zeros(3)), "(it is no .npz)"),
    "a bare pickle": (lambda good: pickle.dumps(Bomb()), "(it is no .npz)"),
    "a pickle inside": (lambda good: npz(format=np.array([Bomb()], dtype=object)), "allow_pickle=False"),
    "no format": (lambda good: npz(X_train=np.zeros(3)), "another version of modn: it has no format number"),
    "an older format": (
        lambda good: npz(format=np.array(0)),
        "format 0, this one reads 1; `dvc repro --force`",
    ),
    "a newer format": (lambda good: npz(format=np.array(2)), "another version of modn: it has format 2"),
    "a path outside": (lambda good: foreign_member(), "another version of modn"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_of_arrays(place: Place, damage: str) -> None:
    path = place.root / "data/splits/iris.npz"
    files.write_arrays(path, {"X_train": np.arange(100.0), "classes": np.array(["a", "b"])})
    change, expected = DAMAGE[damage]
    path.write_bytes(change(path.read_bytes()))
    before = contents(place.root.parent, ".")
    with pytest.raises(StageError) as refusal:
        files.read_arrays(path)
    assert str(refusal.value).startswith("data/splits/iris.npz ")
    assert expected in str(refusal.value)
    assert contents(place.root.parent, ".") == before


@pytest.mark.slow
def test_a_damaged_split(commands: Commands) -> None:
    commands.until("split")
    path = commands.root / "data/splits/iris.npz"
    path.write_bytes(path.read_bytes()[:-10])
    commands.refuse("train", *TRAIN, because=["data/splits/iris.npz is damaged"])


@pytest.mark.slow
def test_a_damaged_result(commands: Commands) -> None:
    commands.until("train")
    path = commands.root / "data/models/comparison/modnf-bbo/iris.npz"
    path.write_bytes(path.read_bytes()[:-10])
    commands.refuse("evaluate", because=["data/models/comparison/modnf-bbo/iris.npz is damaged"])


@pytest.mark.parametrize("stage", ["split", "train", "evaluate"])
@pytest.mark.slow
def test_nothing_was_made_before(commands: Commands, stage: str) -> None:
    arguments = TRAIN if stage == "train" else []
    commands.refuse(stage, *arguments, because=["data/", "is missing; an earlier stage makes it: dvc repro"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "iris: data/tables/iris.csv is empty"),
        ("a,class\n1,x\n2\n", "iris: data/tables/iris.csv, line 3: 1 cells, but the header has 2"),
        ("a,class\n1,x\nmany,y\n", "iris: 'many' in line 3, column 'a', is not a finite number"),
        ("a,class\n1,x\ninf,y\n", "iris: 'inf' in line 3"),
        ("a,class\n" + ",x\n,y\n" * 99, "iris: feature number 0 has no value"),
    ],
)
@pytest.mark.slow
def test_a_damaged_table(commands: Commands, text: str, expected: str) -> None:
    commands.until("split")
    (commands.root / "data/tables/iris.csv").write_text(text)
    commands.refuse("split", because=[expected])


@pytest.mark.slow
def test_one_bad_dataset_of_two_leaves_the_splits_of_both(commands: Commands) -> None:
    commands.configure("datasets=[iris,caesarian]")
    commands.until("split")
    path = commands.root / "data/tables/caesarian.csv"
    path.write_text(path.read_text().replace("\n", "\nmany", 1))
    commands.refuse("split", "split.seed=5", because=["caesarian: 'many"])


@pytest.mark.parametrize("change", ["extra", "missing"])
@pytest.mark.slow
def test_a_column_more_or_less_than_the_papers_table(commands: Commands, change: str) -> None:
    commands.configure("datasets.iris.sha256=null")
    commands.until("fetch")
    path = commands.root / "data/raw/uci/iris.csv"
    rows = [line.split(",") for line in path.read_text().splitlines()]
    rows = [row[1:] for row in rows] if change == "missing" else [[*row[:1], *row] for row in rows]
    rows[0] = [f"{name}{k}" if name != "class" else name for k, name in enumerate(rows[0])]
    path.write_text("\n".join(map(",".join, rows)))
    columns = 3 if change == "missing" else 5
    commands.refuse(
        "fetch", because=[f"iris: 150 rows, 3 classes, {columns} features", "Table 1 has 150, 3, 4"]
    )


# What is unusual and allowed


@pytest.mark.slow
def test_a_constant_feature_and_a_parent_of_its_own_and_fewer_dendrites_than_classes_train(
    commands: Commands,
) -> None:
    commands.configure(
        "datasets.iris.sha256=null",
        "dendrites=2",
        "comparison.modn=[es,pso]",
        "optimizers.es.population=1",
        "optimizers.pso.population=1",
    )
    path = commands.root / "data/raw/uci/iris.csv"
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *("7.5" + row[row.index(",") :] for row in rows)]))
    commands.until("split")
    assert not files.read_arrays(commands.root / "data/splits/iris.npz")["X_train"][..., 0].any()
    for model, optimizer in (("modn", "es"), ("modn", "pso"), ("modnf", "bbo")):
        assert commands.run("train", "study=comparison", f"model={model}", f"optimizer={optimizer}") is None
        trained = files.read_arrays(commands.root / f"data/models/comparison/{model}-{optimizer}/iris.npz")
        assert trained["P"].shape == (1, 2, 3)
        assert np.isfinite(trained["parameters"]).all() and np.isfinite(trained["curve"]).all()


# Parameters


@pytest.mark.parametrize("M", [2, 16])
@pytest.mark.slow
def test_dendrites_that_cannot_be_shared_out_among_classes_known_only_from_the_table(
    commands: Commands, M: int
) -> None:
    commands.configure("comparison.modnp=[bbo]", "datasets.iris.n_classes=null", f"dendrites={M}")
    commands.until("split")
    commands.refuse(
        "train", "study=comparison", "model=modnp", "optimizer=bbo",
        because=[f"n_dendrites of iris is {M}", "multiples of 3", "MODNP gives each of 3 classes"],
    )  # fmt: skip


SPOILT = {
    "empty": (b"", "about is missing; allowed: all keys of the schema; `make params`"),
    "a list": (b"- alpha_s\n", "params.yaml holds no parameters by name"),
    "a number": (b"5\n", "params.yaml cannot be read"),
    "half a line": (b"alpha_s: [1,\n", "params.yaml cannot be read"),
    "no text": (b"\x00\xff\xfe", "params.yaml cannot be read"),
    "a key twice": (b"alpha_s: 1\nalpha_s: 2\n", "duplicate key alpha_s"),
    "aliases of aliases": (
        b"a: &a [1, 1]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (k + 1, k + 1, k, k) for k in range(97, 121)),
        "params.yaml, line 2: *a is an alias; allowed: plain values",
    ),
    "nested deep": (b"alpha_s: " + b"[" * 100_000, "params.yaml, line 1: 21 levels; allowed: 20"),
    "code": (b"alpha_s: !!python/object/apply:os._exit [66]\n", "could not determine a constructor"),
}


@pytest.mark.parametrize("spoilt", SPOILT)
def test_a_params_yaml_that_cannot_be_read(commands: Commands, spoilt: str) -> None:
    content, expected = SPOILT[spoilt]
    (commands.root / "params.yaml").write_bytes(content)
    commands.refuse("fetch", because=[expected])


def test_no_params_yaml(commands: Commands) -> None:
    (commands.root / "params.yaml").unlink()
    commands.refuse("fetch", because=["params.yaml is missing", "make params"])


CONF = {
    "datasets": b"# @package datasets.mine\ntitle: Mine\n",
    "models": b"# @package models.mine\ntitle: Mine\nfamily: modn\nfilter: full\n",
    "optimizers": b"# @package optimizers.mine\nalgorithm: bbo\n",
    "split": b"protocol: sound\nseed: 1\ncount: 1\n",
    "runtime": b"engine: local\n",
    "profile": b"# @package _global_\nprofile: mine\nruns: 1\n",
}


@pytest.mark.parametrize("group", CONF)
@pytest.mark.slow
def test_a_file_of_conf_with_an_unknown_key_or_broken_yaml(commands: Commands, group: str) -> None:
    path = commands.root / f"conf/{group}/mine.yaml"
    choice = f"{group}=[mine]" if group in ("datasets", "models", "optimizers") else f"{group}=mine"
    for line, expected in ((b"colour: red\n", "colour"), (b"title: [\n", f"conf/{group}/mine.yaml")):
        path.write_bytes(CONF[group] + line)
        others = [override for override in LEAST if not override.startswith(f"{group}=")]
        commands.refuse("params", *others, choice, because=[expected])


# Targets that cannot be written


@pytest.mark.parametrize(
    ("stage", "target"),
    [
        ("fetch", "data/tables"),
        ("fetch", "data/table1.csv"),
        ("split", "data/splits"),
        ("train", "data/models"),
    ],
)
@pytest.mark.slow
def test_something_else_stands_in_the_targets_place(commands: Commands, stage: str, target: str) -> None:
    commands.until("split")
    path = commands.root / target
    if path.is_file():
        path.unlink()
        (path / "mine").mkdir(parents=True)
    else:
        if path.exists():
            path.rename(commands.root / "elsewhere")
        path.write_text("mine")
    commands.refuse(stage, *(TRAIN if stage == "train" else []), because=[target, "nothing was replaced"])


@pytest.mark.parametrize(
    ("stage", "reason"),
    [
        ("params", errno.EACCES),
        ("fetch", errno.EROFS),
        ("split", errno.EACCES),
        ("train", errno.ENOSPC),
        ("evaluate", errno.EROFS),
    ],
)
@pytest.mark.slow
def test_a_folder_that_may_not_be_written_to(commands: Commands, stage: str, reason: int) -> None:
    commands.until("evaluate")

    def refuse(source: object, target: object, **kwargs: object) -> None:
        raise OSError(reason, os.strerror(reason), str(source), None, str(target))

    commands.monkeypatch.setattr(os, "replace", refuse)
    arguments = {"train": TRAIN, "params": LEAST}.get(stage, [])
    commands.refuse(stage, *arguments, because=[os.strerror(reason)])


# As real commands


@pytest.mark.slow
def test_what_the_message_about_a_damaged_file_says_helps(project: Project) -> None:
    path: Path = project.root / "data/splits/iris.npz"
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    before = project.contents()
    done = project.stage("train", *TRAIN)
    assert done.returncode == 1
    in_force, message = done.stdout.splitlines()
    assert in_force.startswith("train: profile quick, ")
    assert message.startswith("train: data/splits/iris.npz is damaged; `dvc repro` restores it")
    assert "Traceback" not in done.stdout
    assert project.contents() == before
    project.repro()
    assert path.read_bytes() == good
