"""dvc.yaml: training depends on every source file that its results depend on, so that none is stale."""

import ast
from collections.abc import Iterator
from pathlib import Path

import yaml
from copies import ROOT

# They raise errors or hold registrations; or they are the readable equations, which the compiled ones are
# tested against: no number of a trained model comes from them.
HARMLESS = {
    "modn/__init__.py",
    "modn/gradients.py",
    "modn/neuron.py",
    "modn/validation.py",
    "modn/optimizers/__init__.py",
    "modn/optimizers/checks.py",
    "modn/optimizers/state.py",
}
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
ALGORITHMS = sorted(
    {yaml.safe_load(path.read_text())["algorithm"] for path in ROOT.glob("conf/optimizers/*.yaml")}
)


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


CASES = [
    (name, algorithm)
    for name, stage in STAGES.items()
    for algorithm in (ALGORITHMS if "${item.algorithm}" in str(stage) else [""])
]


def test_training_depends_on_all_the_sources_of_its_results() -> None:
    left_out = {}
    for name, algorithm in CASES:
        if not algorithm:
            continue
        stage = STAGES[name]["do"]
        declared = [dep.replace("${item.algorithm}", algorithm) for dep in stage["deps"]]
        command = stage["cmd"].split()[2].replace(".", "/") + ".py"
        needed = sources(ROOT / command, ROOT / f"modn/optimizers/{algorithm}.py") - HARMLESS | {command}
        covered = {file for file in needed if any(Path(file).is_relative_to(dep) for dep in declared)}
        if needed - covered:
            left_out[f"{name} {algorithm}"] = sorted(needed - covered)
    assert {algorithm for _, algorithm in CASES} >= {"bbo", "bp", "ga"}
    assert left_out == {}


def test_every_source_that_is_declared_exists() -> None:
    for name, algorithm in CASES:
        stage = STAGES[name].get("do", STAGES[name])
        for dep in stage["deps"]:
            if dep.startswith(("modn", "stages", "data/raw")):
                assert (ROOT / dep.replace("${item.algorithm}", algorithm)).exists(), f"{name}: {dep}"
