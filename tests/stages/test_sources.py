"""stages.io.sources: the files it finds by reading are those that Python imports and executes."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from copies import ROOT

from stages.io import sources
from stages.tools import sources as sources_stage

# Each training in a process of its own, which has only packages of others imported before.
TRACED = """
import json, os, sys
import numba, numpy as np, scipy.special

for name, (model, optimizer) in json.loads(sys.argv[1]).items():
    if os.fork() == 0:
        break
    assert os.wait()[1] == 0, name
else:
    sys.exit()
from stages.study import families, training
from stages.study.cells import Cell

settings = {key: value for key, value in model.items() if key != "title"}
cell = Cell("comparison", "own", "own", "own", 4, 2, 10.0, 1.0, settings)
method = families.get(model["family"]).method(model, optimizer, 2)
rng = np.random.default_rng(0)
X, y = rng.random((20, 3)), np.arange(20) % 2
executed = set()
sys.setprofile(lambda frame, event, argument: executed.add(frame.f_code.co_filename))
training.train_one(cell, method, 2, 100, X, y)
sys.setprofile(None)
imported = [getattr(module, "__file__", None) for module in sys.modules.values()]
print(json.dumps([name, sorted(executed), sorted(filter(None, imported))]))
"""
# One after the other: what a fit imports belongs to the following ones, too.
TRACED_FITS = """
import json, sys
import numpy as np
from stages import fit
from stages.config.schema import Baseline, Readable
from stages.study.fitting import fit_one
from stages.study.reading import read_one

rng = np.random.default_rng(0)
X, y = rng.random((40, 3)), np.arange(40) % 2
part = 100, X, y, X
for estimator, readable in json.loads(sys.argv[1]):
    parameters = {"max_iter": 2} if estimator.startswith("modn") else {}
    settings = dict(title="", estimator=estimator, standardise=False, parameters=parameters, grid={})
    executed = set()
    sys.setprofile(lambda frame, event, argument: executed.add(frame.f_code.co_filename))
    if readable:
        read_one(Readable(**settings, size="max_leaf_nodes", size_offset=1), [1], 2, *part)
    else:
        fit_one(Baseline(**settings), ["default"], 2, *part)
    sys.setprofile(None)
    print(json.dumps([estimator, sorted(executed)]))
"""
MODN = {"title": "MODN", "family": "modn", "filter": "learned", "filter_iterations": 2, "rounds": 1}
DNM = {"title": "DNM", "family": "dnm", "theta_o": [0.5]}
MLP = {"title": "MLP", "family": "mlp"}
BBO = {"algorithm": "bbo", "population": 10, "iterations": None}
PAIR = {"algorithm": "bbo+adam", "first": BBO | {"iterations": 2}, "then": {"iterations": 2}}
TRAININGS = {
    "modn-bbo": (MODN, BBO, {"bbo"}),
    "modn-adam": (MODN, {"algorithm": "adam", "iterations": 2}, {"adam"}),
    "modn-bbo_adam": (MODN, PAIR, {"bbo", "adam"}),
    "dnm-bbo": (DNM, BBO, {"bbo"}),
    "mlp-bp": (MLP, {"algorithm": "bp", "population": 1, "iterations": 2}, {"bp"}),
}
# Estimators, whether they are read, and the file with the hashes on which their fits depend.
FITS = [
    ("sklearn.neighbors.KNeighborsClassifier", False, "fit"),
    ("sklearn.tree.DecisionTreeClassifier", True, "fit"),
    ("modn.DNMClassifier", False, "fit-modn"),
    ("modn.MODNClassifier", True, "fit-modn"),  # its circuit
]


def ours(paths: list[str]) -> set[Path]:
    """Those of the project, without stages.config, whose values are causes of their own."""
    found = {Path(path) for path in paths}
    folders = [ROOT / package for package in sources.OURS]
    return {
        path
        for path in found
        if any(path.is_relative_to(folder) for folder in folders)
        and not path.is_relative_to(ROOT / "stages/config")
    }


def traced(code: str, what: Any) -> Iterator[tuple[str, list[set[Path]]]]:
    """Of each task its name, the sources that it executes, and for a training all that are imported."""
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(what)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for name, *found in map(json.loads, done.stdout.splitlines()):
        yield name, [ours(paths) for paths in found]


@pytest.mark.slow
def test_what_a_training_executes_and_imports_is_in_its_closure() -> None:
    siblings = set((ROOT / "modn/optimizers").rglob("*.py"))  # registered, not used
    found = dict(traced(TRACED, {name: chosen[:2] for name, chosen in TRAININGS.items()}))
    assert found.keys() == TRAININGS.keys()
    for name, (executed, imported) in found.items():
        model, _, algorithms = TRAININGS[name]
        registries: Mapping[str, set[str]] = {
            "modn.optimizers": {f"modn.optimizers.{algorithm}" for algorithm in algorithms},
            "stages.study.families": {f"stages.study.families.{model['family']}"},
        }
        closure = sources.closure(["stages.study.training"], registries)
        assert len(executed) > 5 and executed <= closure, name
        assert imported - siblings <= closure, name


@pytest.mark.slow
def test_what_a_fit_executes_is_hashed() -> None:
    found = dict(traced(TRACED_FITS, [fit[:2] for fit in FITS]))
    hashed = dict(sources_stage.closures())
    for estimator, _, file in FITS:
        (executed,) = found[estimator]  # stages.config imports more
        assert len(executed) >= 2 and executed <= hashed[file], estimator


def test_a_training_does_not_depend_on_how_it_is_called_or_shown() -> None:
    closure = {str(path.relative_to(ROOT)) for path in sources.closure(["stages.study.training"])}
    assert {"modn/fast/kernels.py", "modn/neuron.py", "stages/study/training.py"} <= closure
    assert not [
        name for name in closure if name.startswith(("stages/io", "stages/config", "modn/estimators"))
    ]


def test_the_digest_changes_with_a_content_or_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("x = 1\n")
    two.write_text("x = 1\n")
    first = sources.digest([one])
    assert sources.digest([two]) != first
    one.write_text("x = 2\n")
    assert sources.digest([one]) != first
