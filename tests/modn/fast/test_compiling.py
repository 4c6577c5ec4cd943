"""Machine code on disk is never older than its sources, and a bad cache costs time, not a run."""

import ast
import os
import shutil
from copy import copy
from pathlib import Path

import interpreter
import pytest

import modn
from modn.fast import compiling

pytestmark = pytest.mark.slow  # each test starts processes of its own

PACKAGE = Path(modn.__file__).parent

BEGIN = """
from numba.core import event
watched = event.RecordingListener()
event.register("numba:compile", watched)
"""
END = """
print("compiled" if watched.buffer else "loaded")
"""

PRINT_POTENTIALS = """
import numpy as np
from modn import Neuron, filters
from modn.fast.prediction import potentials
w_s, theta_s = np.random.default_rng(0).normal(size=(2, 3, 4))
neuron = Neuron(w_s, theta_s, filters.full(4, 2), np.ones(2), np.zeros(2), alpha_s=1.0, alpha_t=1.0)
print(potentials(neuron, np.eye(3)).ravel().tolist())
"""

# A loop in one file of the optimizers that uses a constant and a helper of others.
PROBE = """
from modn.fast.probed import TWICE, helper
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.gray import MAX_BITS

@compiled
def probe(x):
    return helper(x) * TWICE + MAX_BITS
"""
PROBED = """
from modn.fast.compiling import compiled
TWICE = 2

@compiled
def helper(x):
    return x + 1
"""
PRINT_PROBE = "from modn.optimizers.probe import probe; print(probe(10))"


ignore_code = shutil.ignore_patterns("*.nb?")


class Copy:
    """A copy of the package, whose cache is in `__pycache__`, copied with it, or in NUMBA_CACHE_DIR."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.root = folder
        shutil.copytree(PACKAGE, folder / "modn", ignore=None if cache is None else ignore_code)
        self.environment = os.environ | {"HOME": str(folder)}
        for own in ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES"):
            self.environment.pop(own, None)
        if cache is not None:
            self.environment["NUMBA_CACHE_DIR"] = str(cache)

    def run(self, code: str) -> str:
        """What the code prints in a process of its own, and whether anything was compiled for it."""
        printed, errors = interpreter.run(BEGIN + code + END, self.root, self.environment)
        assert not errors
        return printed

    def replace(self, file: str, old: str, new: str) -> None:
        path = self.root / "modn" / file
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))

    def cached(self, pattern: str) -> list[Path]:
        return sorted(Path(self.environment["NUMBA_CACHE_DIR"]).rglob(pattern))


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy with two small compiled functions, one of which calls the other, and a cache of both."""
    folder = tmp_path_factory.mktemp("probed")
    probed = Copy(folder / "copy", folder / "copy" / "cache")
    (probed.root / "modn/optimizers/probe.py").write_text(PROBE)
    (probed.root / "modn/fast/probed.py").write_text(PROBED)
    assert probed.run(PRINT_PROBE) == "46\ncompiled\n"
    assert probed.run(PRINT_PROBE) == "46\nloaded\n"
    shutil.copytree(probed.root, folder / "kept")
    return probed


@pytest.fixture
def probed(pristine: Copy) -> Copy:
    """The same for each test, in the same place: machine code is cached by the path of its sources."""
    shutil.rmtree(pristine.root)
    shutil.copytree(pristine.root.with_name("kept"), pristine.root)
    own = copy(pristine)
    own.environment = dict(pristine.environment)
    return own


def test_an_edit_of_the_lanes_changes_predictions(tmp_path: Path) -> None:
    """With the cache in `__pycache__`; the tests below have theirs in NUMBA_CACHE_DIR."""
    copy = Copy(tmp_path / "copy")
    copy.run(PRINT_POTENTIALS)
    first = copy.run(PRINT_POTENTIALS)
    assert first.endswith("loaded\n")
    copy.replace("fast/lanes.py", "splat(1.0000000717)", "splat(1.3)")
    edited = copy.run(PRINT_POTENTIALS)
    assert edited.endswith("compiled\n")
    right, wrong = (ast.literal_eval(text.splitlines()[0]) for text in (first, edited))
    assert all(abs(a - b) > 1e-3 for a, b in zip(right, wrong, strict=True))


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("fast/probed.py", "x + 1", "x + 2", 48),
        ("fast/probed.py", "TWICE = 2", "TWICE = 3", 57),
        ("optimizers/core/gray.py", "MAX_BITS = 24", "MAX_BITS = 25", 47),
    ],
)
def test_an_edit_of_a_shared_helper_or_constant_is_seen(
    probed: Copy, file: str, old: str, new: str, expected: int
) -> None:
    probed.replace(file, old, new)
    assert probed.run(PRINT_PROBE) == f"{expected}\ncompiled\n"
    assert probed.run(PRINT_PROBE) == f"{expected}\nloaded\n"
    probed.replace(file, new, old)
    assert probed.run(PRINT_PROBE) == "46\ncompiled\n"


def test_code_older_than_its_file_is_not_saved(probed: Copy) -> None:
    """A process that imported the sources before an edit, and compiles after it."""
    late = """
from pathlib import Path
from modn.optimizers.probe import probe

path = Path("modn/fast/probed.py")
path.write_text(path.read_text().replace("x + 1", "x + 2"))
print(probe(10.0))
"""
    assert probed.run(late) == "46.0\ncompiled\n"
    assert probed.run(PRINT_PROBE.replace("10", "10.0")) == "48.0\ncompiled\n"


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_damaged_files_are_compiled_again(probed: Copy, pattern: str) -> None:
    def without_last_half(data: bytes) -> bytes:
        return data[: len(data) // 2]

    def with_a_flipped_bit(data: bytes) -> bytes:
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]

    for damaged in (lambda data: b"", without_last_half, with_a_flipped_bit):
        for path in probed.cached(pattern):
            path.write_bytes(damaged(path.read_bytes()))
        assert probed.run(PRINT_PROBE) == "46\ncompiled\n"
    assert probed.run(PRINT_PROBE) == "46\nloaded\n"


def test_code_of_other_sources_under_a_new_index_is_not_run(probed: Copy) -> None:
    """What a process leaves that is killed between the index and the code."""
    kept = {path: path.read_bytes() for path in probed.cached("*.nbc")}
    probed.replace("fast/probed.py", "x + 1", "x + 2")
    assert probed.run(PRINT_PROBE) == "48\ncompiled\n"
    for path, old in kept.items():
        path.write_bytes(old)
    assert probed.run(PRINT_PROBE) == "48\ncompiled\n"


def test_code_of_another_signature_is_not_run(probed: Copy) -> None:
    """What two processes leave that save the first code of two signatures at once."""
    probed.run(PRINT_PROBE.replace("10", "10.5"))
    first, second = probed.cached("probe.probe*.nbc")
    second.write_bytes(first.read_bytes())
    assert probed.run(PRINT_PROBE.replace("10", "10.5")) == "47.0\ncompiled\n"


def test_without_a_place_for_a_cache_everything_runs(probed: Copy) -> None:
    for path in list((probed.root / "modn").rglob("__pycache__")):
        shutil.rmtree(path)
        path.touch()  # no folder can be made there, whoever runs the test
    (probed.root / "file").touch()
    probed.environment |= {name: str(probed.root / "file") for name in ("NUMBA_CACHE_DIR", "HOME")}
    probed.environment |= {"XDG_CACHE_HOME": str(probed.root / "file")}
    assert probed.run(PRINT_PROBE) == "46\ncompiled\n"


def test_a_cache_folder_that_vanishes_is_made_again(probed: Copy) -> None:
    shutil.rmtree(probed.root / "cache")
    assert probed.run(PRINT_PROBE) == "46\ncompiled\n"
    assert probed.run(PRINT_PROBE) == "46\nloaded\n"


def test_the_locks_of_editors_are_no_sources(probed: Copy) -> None:
    (probed.root / "modn/fast/.#probed.py").symlink_to("someone@somewhere")
    assert probed.run(PRINT_PROBE) == "46\nloaded\n"


def imported_from_elsewhere(path: Path, folders: list[Path]) -> set[str]:
    """The names that a file imports from modules of modn outside these folders."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "modn":
            base = PACKAGE.parent.joinpath(*str(node.module).split("."))
            for alias in node.names:
                module = base if not (base / f"{alias.name}.py").is_file() else base / alias.name
                folder = module if module.is_dir() else module.parent
                if folder not in folders:
                    names.add(alias.asname or alias.name)
    return names


FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "@compiled" in path.read_text()]


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_compiled_functions_use_nothing_their_stamp_does_not_cover(path: Path) -> None:
    folders = [path.parent, PACKAGE / "fast", PACKAGE / "optimizers/core"]
    foreign = imported_from_elsewhere(path, folders)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and "compiled" in map(ast.unparse, node.decorator_list):
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            assert not used & foreign, f"{node.name} uses {used & foreign}"


def test_every_compiled_function_goes_through_the_one_decorator() -> None:
    others = [path for path in PACKAGE.rglob("*.py") if "njit" in path.read_text()]
    assert others == [Path(compiling.__file__)]
