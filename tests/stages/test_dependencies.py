"""dvc.yaml: training depends on every source file that its results depend on, so that none is stale."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from copies import ROOT

# They raise errors or hold registrations; or they are the readable gradients, which the compiled ones are
# tested against: no number of a trained model comes from them.
HARMLESS = {
    "modn/__init__.py",
    "modn/gradients.py",
    "modn/validation.py",
    "modn/optimizers/__init__.py",
    "modn/optimizers/checks.py",
    "modn/optimizers/state.py",
}
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
PAIRS = {
    (pair["module"], pair["extends"])
    for study in yaml.safe_load((ROOT / "params.yaml").read_text())["derived"]["pairs"].values()
    for pair in study.values()
}


def imported(path: Path) -> Iterator[Path]:
    """The files of modn that a file names in its imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            stem = ROOT / name.replace(".", "/")
            for candidate in (stem.with_suffix(".py"), stem / "__init__.py"):
                if name.split(".")[0] == "modn" and candidate.is_file():
                    yield candidate


def sources(*roots: Path) -> set[str]:
    """All files of modn that these files need, and what those need."""
    found: set[Path] = set()
    waiting = list(roots)
    while waiting:
        fresh = set(imported(waiting.pop())) - found
        found |= fresh
        waiting += fresh
    return {str(path.relative_to(ROOT)) for path in found}


def filled(text: str, module: str, extends: str) -> str:
    return text.replace("${item.module}", module).replace("${item.extends}", extends)


CASES = [
    (name, pair)
    for name, stage in STAGES.items()
    for pair in (sorted(PAIRS) if "${item.module}" in str(stage) else [("adam", "base")])
]


@pytest.mark.parametrize(
    ("name", "pair"), [case for case in CASES if case[0].startswith(("train", "fit"))], ids=str
)
def test_training_depends_on_all_the_sources_of_its_results(name: str, pair: tuple[str, str]) -> None:
    stage = STAGES[name]["do"]
    declared = [filled(dep, *pair) for dep in stage["deps"]]
    command = stage["cmd"].split()[2].replace(".", "/") + ".py"
    needed = sources(ROOT / command, ROOT / f"modn/optimizers/{pair[0]}.py") - HARMLESS | {command}
    assert {file for file in needed if not any(Path(file).is_relative_to(dep) for dep in declared)} == set()


def test_every_algorithm_and_every_kind_of_training_was_looked_at() -> None:
    assert {module for _, (module, _) in CASES} >= {"bbo", "bp", "ga", "bbo_adam"}
    assert {name for name, _ in CASES} >= {"train", "train_tuned", "train_sensitivity", "fit"}


def test_every_source_that_is_declared_exists() -> None:
    for name, pair in CASES:
        stage = STAGES[name].get("do", STAGES[name])
        for dep in stage["deps"]:
            if dep.startswith(("modn", "stages", "data/raw")):
                assert (ROOT / filled(dep, *pair)).exists(), f"{name}: {dep}"


@pytest.mark.parametrize("name", ["fetch", "split", "resplit"])
def test_the_parts_depend_on_all_the_sources_that_make_them(name: str) -> None:
    declared = STAGES[name]["deps"]
    needed = sources(ROOT / f"stages/{name}.py") - HARMLESS
    assert {file for file in needed if not any(Path(file).is_relative_to(dep) for dep in declared)} == set()
