"""The faults of the authors' code: each is what its row says, and the page has what was measured."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import authors_filter, open_choices
from benchmarks.authors_filter import FilterFaults, RealFilter
from benchmarks.bbo_variants import RepeatingBBO
from modn import filters
from modn.fast.objective import Objective
from modn.methods import neuron_problem
from modn.optimizers.bbo import BBO
from modn.optimizers.core.space import Space

PAGE = open_choices.ROOT / "docs/reproduction.md"
MEASURED = open_choices.ROOT / "docs/assets/authors_faults.csv"
M, C = 4, 2


@pytest.fixture
def objective() -> Objective:
    rng = np.random.default_rng(0)
    X = rng.random((20, 3))
    return Objective(X, (X[:, 0] > 0.5).astype(int), M, C, 10.0, 1.0)


def test_every_generation_repeats_the_last_one_but_individuals_differ() -> None:
    bbo, space = RepeatingBBO(population=6), Space.box(np.zeros(5), np.ones(5))
    state = bbo.init(space, np.random.default_rng(0))
    first = bbo.ask(state, np.random.default_rng(1))
    state = bbo.tell(state, first, first.sum(axis=1), np.random.default_rng(2))
    one, two = (bbo.ask(state, np.random.default_rng(seed)) for seed in (3, 4))
    np.testing.assert_array_equal(one, two)
    steps = one - state.habitats
    assert len(np.unique(np.sign(steps), axis=0)) > 1, "not every individual draws the same"
    other = BBO(population=6)
    assert not np.array_equal(*(other.ask(state, np.random.default_rng(seed)) for seed in (3, 4)))


def test_a_zero_of_the_partition_counts_half_in_training(objective: Objective) -> None:
    P = filters.partition(M, C).astype(float)
    with_strengths = Objective(objective.X, objective.y, M, C, 10.0, 1.0, strengths=True)
    space = neuron_problem(objective, "partition").space
    rows = space.sample(3, np.random.default_rng(1))
    right, halved = (RealFilter(with_strengths, space, P, faulty).loss(rows) for faulty in (False, True))
    np.testing.assert_allclose(right, objective.loss(rows, P > 0), rtol=1e-5)
    truth = np.eye(C)[objective.y]
    for row, loss in zip(rows, halved, strict=True):
        R = open_choices.telodendra(row, (np.sign(P) + 1) / 2, objective.X)
        log_O = R - np.log(np.exp(R).sum(axis=1, keepdims=True))
        assert loss == pytest.approx(-(truth * log_O).sum(axis=1).mean(), rel=1e-5)


@pytest.mark.parametrize(("filter", "moves"), [("partition", True), ("full", False)])
def test_the_fixed_filter_is_searched_from_itself_on(objective: Objective, filter: str, moves: bool) -> None:
    """A zero is one mutation away from counting; a one of MODNF would have to fall below 0."""
    bbo, rng, fixed = BBO(population=10), np.random.default_rng(0), filters.FIXED[filter](M, C)
    parameters, P = authors_filter.train(objective, filter, bbo, 3, rng, FilterFaults(searched=True))
    assert parameters.shape == (2 * 3 * M + 2 * C,)
    assert (np.abs(P - fixed).max() > 0) == moves and np.abs(P - fixed).max() < 1.0
    _, untouched = authors_filter.train(objective, filter, bbo, 3, rng, FilterFaults(halved=True))
    np.testing.assert_array_equal(untouched, fixed)


def test_the_page_has_the_measured_cells() -> None:
    cells = pd.read_csv(MEASURED)
    assert open_choices.markdown(cells) in PAGE.read_text(encoding="utf-8")
    assert set(cells["runs"]) == {30}
    assert {"half P", "searched P", "repeating"} <= set(cells["choice"])
    for choice, own in cells.groupby("choice"):
        assert set(own["model"]) == set(open_choices.CHOICES[str(choice)].models)
