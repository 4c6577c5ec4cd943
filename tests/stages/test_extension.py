"""A newcomer of each kind is one file, its conf file where it has one, and a word in conf/config.yaml.

The dataset is one's own: a CSV and a short file are all that the study needs for a report of it alone.
"""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from copies import ROOT, Project

OPTIMIZER = '''
"""Random search: the floor that every optimizer should beat."""

from dataclasses import dataclass

from modn.optimizers.core.base import Optimizer, State, register


@register("floor")
@dataclass(frozen=True)
class Floor(Optimizer):
    """Draws every generation anew."""

    def _init(self, space, rng):
        return State(space, 0, space.sample(1, rng)[0], float("inf"))

    def ask(self, state, rng):
        """A population, uniform in the space."""
        return state.space.sample(self.population, rng)

    def _tell(self, state, candidates, costs, rng, gradients):
        return state
'''

FAMILY = '''
"""Nearest centroid: a softmax of minus the scaled distances from a point per class."""

from typing import ClassVar

import numpy as np
from scipy.special import softmax

from modn.constraints import Number
from modn.optimizers.core.space import Space
from stages.study.families import Family, register, stored


class Centroids:
    def __init__(self, centres, scale):
        self.centres, self.scale = centres, scale

    def predict_proba(self, X):
        return softmax(-self.scale * ((X[:, None] - self.centres) ** 2).sum(axis=2), axis=1)


class Problem:
    def __init__(self, X, y, n_classes, scale):
        self.X, self.y, self.n_classes, self.scale = X, y, n_classes, scale
        size = n_classes * X.shape[1]
        self.space = Space.box(np.zeros(size), np.ones(size))

    def loss(self, population):
        rows = np.atleast_2d(population).reshape(-1, self.n_classes, self.X.shape[1])
        models = [Centroids(centres, self.scale) for centres in rows]
        own = np.arange(len(self.y)), self.y
        return np.array([-np.log(model.predict_proba(self.X)[own]).mean() for model in models])


@register
class Nearest(Family):
    name = "nearest"
    allowed: ClassVar = {"scale": Number(0, ends="(]")}

    def train(self, cell, method, budget, X, y, rng):
        problem = Problem(X, y, cell.n_classes, cell.settings["scale"])
        return stored(method.train(problem, budget, rng))

    def model(self, cell, arrays, n_features):
        centres = arrays["parameters"].reshape(cell.n_classes, n_features)
        return Centroids(centres, cell.settings["scale"])
'''

MEASURE = '''
"""The share of wrong predictions, turned so that higher is better."""

import numpy as np

from stages.study.measures import Measure


def compute(y, labels, scores):
    """Minus the share of samples whose predicted class is wrong."""
    return -float(np.mean(labels != y))


MEASURE = Measure("minus_error", "-ERR", compute)
'''

FIGURE = '''
"""How many runs each model had."""

from modn.plots import style
from stages.study.figures import StudyFigure


def draw(runs):
    """A bar for each model."""
    figure = style.new_figure(4, 3)
    counts = runs.groupby("model").size()
    figure.add_subplot().bar(range(len(counts)), counts)
    return figure


FIGURE = StudyFigure("own_figure", "Runs of each model", "figures", 99, ("runs",), draw)
'''


def insects() -> str:
    """A CSV as people have them: numbers, a category, and a missing value."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=80)
    table = pd.DataFrame({
        "length": (kind + rng.normal(0, 0.3, 80)).round(3),
        "width": rng.random(80).round(3),
        "colour": rng.choice(["dark", "light"], 80),
        "kind": np.array(["ant", "bee", "cicada"])[kind],
    })  # fmt: skip
    table.loc[4, "width"] = None
    return table.to_csv(index=False)


DATASET = """
# @package datasets.own
title: My insects
file: data/raw/own.csv
class_column: kind
codes:
  colour: {dark: 0, light: 1}
missing: median
test_size: 0.25
"""

NEWCOMERS = {
    "optimizer": {
        "modn/optimizers/floor.py": OPTIMIZER,
        "conf/optimizers/floor.yaml": (
            "# @package optimizers.floor\nalgorithm: floor\npopulation: 20\niterations: null\n"
        ),
    },
    "family": {
        "stages/study/families/nearest.py": FAMILY,
        "conf/models/nearest.yaml": (
            "# @package models.nearest\ntitle: Centroid rule\nfamily: nearest\nscale: 10\n"
        ),
    },
    "dataset": {
        "data/raw/own.csv": insects(),
        "conf/datasets/own.yaml": DATASET,
    },
    "measure": {"stages/study/measures/minus_error.py": MEASURE},
    "figure": {"stages/study/figures/own_figure.py": FIGURE},
    "baseline": {
        "conf/baselines/tree.yaml": (
            "# @package baselines.tree\ntitle: Tree\nestimator: sklearn.tree.DecisionTreeClassifier\n"
            "parameters: {}\ngrid: {max_depth: [1, 2, 3, 4]}\n"
        ),
    },
    "readable": {
        "conf/readable/stump.yaml": (
            "# @package readable.stump\ntitle: Stump\nestimator: sklearn.tree.DecisionTreeClassifier\n"
            "parameters: {max_depth: 1}\n"
        ),
    },
}
LIST = "conf/config.yaml"
WORDS = {  # the list that each joins: what stands before it, and the word
    "optimizer": [(r"- optimizers: \[", "floor, "), (r"  modnf: \[", "floor, ")],
    "family": [(r"- models: \[", "nearest, "), (r"comparison:\n", "  nearest: [floor]\n")],
    "dataset": [(r"- datasets: \[", "own, ")],
    "measure": [(r"measures: \[acc, auc", ", minus_error")],
    "figure": [],
    "baseline": [(r"- baselines: \[", "tree, ")],
    "readable": [(r"- readable: \[", "stump, ")],
}
RUN = [
    "datasets=[own]",
    "split=sound",
    "optimizers=[floor,bbo,pso,bp,adam]",
    "baselines=[tree]",
    "readable=[stump]",
    "circuits.datasets=[own]",
    "comparison.modnf=[floor]",
    "tuned.methods.modn=[]",
    "tuned.methods.mlp=[]",
]


# Tests that read conf and the registries: of the messages about values, those that list names; of what is
# tested one by one, the newcomers. What runs every stage is left out, since the pipeline is run above, and so
# is what chooses all that it composes.
TESTS = [
    "tests/modn/optimizers/test_optimizer_registry.py",
    "tests/stages/test_bad_parameters.py::test_no_rate_or_count_is_negative",
    "tests/stages/test_configuration.py",
    "tests/stages/test_refused_overrides.py",
    "tests/stages/test_dependencies.py",
    "tests/stages/test_figures.py::test_a_figure_has_the_name_of_its_file_and_a_section_of_the_report",
    "tests/stages/test_figures.py::test_everything_draws_legibly",
    "tests/stages/test_measures.py",
]
LEFT_OUT = (
    "((what_is_not_allowed or values_are_checked) and not nope)"
    " or (legibly and not own_figure)"
    " or (a_pair_composes_alone and not floor and not nearest)"
    " or (no_rate_or_count and not floor)"
    " or (source_that_it_imports and not floor and not stump)"
    " or that_a_stage_reads or bytes or less_effort or a_change_of_a_source or the_report_depends"
    " or restrict or of_every_kind or need_not_be_shared or every_split"
    " or largest_dendrites or not_chosen or no_pair"
)
# By one of each kind it is seen that they were run; the dataset is composed with all others.
RUN_FOR = ("floor", "nearest", "minus_error", "own_figure", "tree", "stump")


@pytest.fixture
def extended(fresh: Project) -> Project:
    """A project with all newcomers; no other file differs."""
    before = fresh.contents()
    for kind, files in NEWCOMERS.items():
        for path, text in files.items():
            assert path not in before
            (fresh.root / path).write_text(text.lstrip("\n"))
        for place, word in WORDS[kind]:
            conf = fresh.root / LIST
            text, count = re.subn(f"({place})", rf"\g<1>{word}", conf.read_text(), count=1)
            assert count == 1, f"{kind}: {place} is not in {LIST}"
            conf.write_text(text)
    touched = {path for path, content in fresh.contents().items() if before.get(path) != content}
    assert touched == {LIST, *(path for files in NEWCOMERS.values() for path in files)}
    return fresh


@pytest.mark.slow
def test_newcomers_of_every_kind_run_through_the_pipeline(extended: Project) -> None:
    ran = extended.rerun(*RUN).ran
    assert ran >= {"fetch", "split", "resplit", "evaluate", "plot", "report"}
    assert ran >= {"train@comparison-nearest-floor", "train@comparison-modnf-floor", "fit@tree"}
    tables = extended.root / "reports/quick/tables"
    table3 = pd.read_csv(tables / "table3.csv").set_index(["dataset", "model", "optimizer"])
    assert set(table3.index) == {("own", model, "floor") for model in ("nearest", "modnf")}
    assert (table3["minus_error_mean"] + 1 - table3["acc_mean"]).abs().max() < 1e-6
    assert set(pd.read_csv(tables / "baselines.csv")["baseline"]) == {"tree"}
    assert pd.read_csv(tables / "circuits.csv")[["model", "conditions"]].to_numpy().tolist() == [["stump", 1]]
    assert (extended.root / "reports/quick/figures/own_figure.png").is_file()
    report = (extended.root / "reports/quick/report.md").read_text()
    for words in ("Runs of each model", "Centroid rule", "FLOOR", "| My insects |", "-ERR", "Tree", "Stump"):
        assert words in report, words
    assert "Iris" not in report
    metrics = json.loads((extended.root / "reports/quick/metrics.json").read_text())["comparison"]
    assert 0 < metrics["modnf-floor"]["acc"] <= 1 and "distance_to_paper" not in metrics["modnf-floor"]
    table1 = pd.read_csv(extended.root / "data/table1.csv").iloc[0]
    assert (table1["train"], table1["test"], table1["classes"], table1["features"]) == (60, 20, 3, 3)


@pytest.mark.slow
def test_no_test_needs_an_edit_for_newcomers(extended: Project) -> None:
    shutil.copytree(ROOT / "tests", extended.root / "tests")
    shutil.copy2(ROOT / "pyproject.toml", extended.root)
    extended.succeed("python", "-m", "stages.tools.params")
    chosen = ["-k", f"not ({LEFT_OUT})"]
    output = extended.succeed("python", "-m", "pytest", "-v", "-p", "no:cacheprovider", *chosen, *TESTS)
    for name in RUN_FOR:
        assert re.search(rf"^\S+\[.*{name}.*\] PASSED", output, re.MULTILINE), output
