"""The package: the names that users rely on, imported late; what it needs; what its wheel holds."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import modn

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
KINDS = (".py", ".typed", ".css", ".js")  # of files in the wheel
BASE = {"joblib", "numba", "numpy", "scikit-learn", "scipy", "tqdm"}


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("name", sorted(set(modn.__all__) - {"__version__"}))
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(modn, name).__name__.rpartition(".")[2] == name
    assert name in dir(modn)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(modn.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert {alias.asname for node in imports for alias in node.names} | {"__version__"} == set(modn.__all__)
    assert (ROOT / "modn" / "py.typed").exists()


@pytest.mark.slow
def test_a_type_checker_knows_what_the_names_are(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import modn\n"
        "from modn import MODNClassifier, train\n"
        "reveal_type(MODNClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]]))\n"
        "reveal_type(train)\nreveal_type(modn.make('bbo'))\nreveal_type(modn.__version__)\nmodn.nothing\n"
    )
    command = [sys.executable, "-m", "mypy", str(script)]
    text = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    types = re.findall(r'Revealed type is "(.*)"', text)
    assert len(types) == 4 and "Any" not in types
    assert "ndarray" in types[0] and "Training" in types[1] and "Optimizer" in types[2] and types[3] == "str"
    assert 'Module has no attribute "nothing"' in text


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        modn.nope  # noqa: B018


def test_the_version_is_the_projects() -> None:
    assert modn.__version__ == PROJECT["version"] == metadata.version("modn")
    assert f"\nversion: {modn.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{modn.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_package_alone_imports_nothing_heavy() -> None:
    code = "import sys, modn; print({'numpy', 'numba', 'pandas', 'importlib.metadata'} & set(sys.modules))"
    assert run(code).stdout == "set()\n"


@cache
def homes() -> Mapping[str, list[str]]:
    """The distributions that each top-level name comes from."""
    return metadata.packages_distributions()


def needed(names: set[str]) -> set[str]:
    """The distributions that some need, themselves included."""
    found: set[str] = set()
    while names:
        name = canonicalize_name(names.pop())
        found.add(name)
        for text in metadata.requires(name) or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                names |= {canonicalize_name(requirement.name)} - found
    return found


def blocker(allowed: set[str]) -> str:
    """Code that makes every other installed package look as if it was not installed."""
    keep = needed(set(allowed)) | {"modn"}
    hidden = {name for name, some in homes().items() if not keep & set(map(canonicalize_name, some))}
    return f"""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(hidden)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
"""


@pytest.mark.slow
def test_the_library_needs_the_base_packages_only(tmp_path: Path) -> None:
    """Nor do its modules need an import of their own; the command says what to install."""
    assert {Requirement(text).name for text in PROJECT["dependencies"]} == BASE
    code = f"""
import modn
X, y = [[0.0], [0.1], [0.9], [1.0]] * 5, ["low", "low", "high", "high"] * 5
for model in (modn.MODNClassifier(random_state=0), modn.DNMClassifier(solver="bbo", max_iter=5)):
    modn.save(model.fit(X, y), {str(tmp_path / "model")!r})
    again = modn.load({str(tmp_path / "model")!r})
    assert (again.predict(X) == model.predict(X)).all()
    print(modn.explain.rules(again, X=X, y=y))
objective = modn.Objective(X, [0, 0, 1, 1] * 5, n_dendrites=2, n_classes=2, alpha_s=10.0, alpha_t=1.0)
modn.train(objective, "bbo+adam", budget=3)
modn.filters.full(2, 2), modn.optimizers.names(), modn.methods.make, modn.metrics.accuracy, modn.__version__
for extra in ("modn.plots", "modn.cli.columns"):
    try:
        __import__(extra)
    except ModuleNotFoundError as error:
        print(error)
from modn.cli import main
sys.exit(main(["fit", "x.csv", "--target", "y", "--out", {str(tmp_path / "z")!r}]))
"""
    done = run(blocker(BASE) + code)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "modn: error: pandas is not installed; install it with: pip install 'modn[cli]'\n"
    assert re.search(r"\w+ is not installed; install it with: pip install 'modn\[plots\]'\n", done.stdout)
    assert "pandas is not installed; install it with: pip install 'modn[cli]'" in done.stdout


def test_what_is_declared_is_locked() -> None:
    lock = [Requirement(line) for line in (ROOT / "requirements.lock").read_text().splitlines()]
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]:
        wanted = Requirement(text)
        if wanted.name == "modn":
            continue
        versions = [
            next(iter(locked.specifier)).version
            for locked in lock
            if canonicalize_name(locked.name) == canonicalize_name(wanted.name)
        ]
        assert versions and all(version in wanted.specifier for version in versions), text


def imported(folder: str) -> set[str]:
    """The top-level names that a folder's modules import."""
    names: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize(
    ("folder", "extras"),
    [("modn", ["cli", "plots", "onnx"]), ("stages", ["cli", "plots", "pipeline", "dask", "docs", "tune"])],
)
def test_what_is_imported_is_declared(folder: str, extras: list[str]) -> None:
    """All but llvmlite, whose version numba dictates."""
    declared = {Requirement(text).name for text in PROJECT["dependencies"]} | {"modn"}
    for extra in extras:
        declared |= {Requirement(text).name for text in PROJECT["optional-dependencies"][extra]}
    allowed = set(map(canonicalize_name, declared))
    for name in imported(folder) - sys.stdlib_module_names - {"modn", folder, "llvmlite"}:
        assert set(map(canonicalize_name, homes()[name])) & allowed, name


def test_the_wheel_holds_the_library_alone(tmp_path: Path) -> None:
    """Built from the files that git would commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    sources = tmp_path / "sources"
    for name in listed:
        if (ROOT / name).is_file() and name.endswith((*KINDS, ".toml", "README.md", "LICENSE")):
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            (sources / name).write_bytes((ROOT / name).read_bytes())
    build = "import setuptools.build_meta as backend; print(backend.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=sources, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(sources.glob("*.whl"))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    expected = {name for name in listed if name.startswith("modn/") and name.endswith(KINDS)}
    assert held == {name for name in expected if (ROOT / name).is_file()} and "modn/py.typed" in held
