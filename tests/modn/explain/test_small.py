"""Small circuits: the search against all circuits of one and two conditions, and against trees."""

import itertools

import numpy as np
import pytest
from scipy.special import softmax, xlogy
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from modn import CircuitClassifier
from modn.explain.learning import boxes, fast_conditions, small
from modn.explain.learning.integers import integer_weights
from modn.explain.learning.path import _with_integers
from modn.explain.learning.table import Boxes, Starts, Table


def make_table(seed: int, missing: float = 0.1, N: int = 80, C: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    n_codes = np.array([4, 2, 5], dtype=np.int32)
    codes = np.stack([rng.integers(0, n, N) for n in n_codes]).astype(np.int32)
    scores = rng.normal(size=(N, C)) + 2 * np.eye(C)[1 * (codes[0] > 1) + (codes[2] > 2)]
    codes[rng.random(codes.shape) < missing] = -1
    everywhere = np.ones(3, dtype=bool)
    return Table(codes, n_codes, softmax(scores, axis=1), everywhere, everywhere)


def nothing(table: Table) -> Boxes:
    """The circuit without conditions."""
    weights, theta_t = integer_weights(np.zeros((0, table.codes.shape[1]), bool), table.targets)
    none = np.zeros((0, 2, len(table.codes)), np.int32)
    return Boxes(none, weights.astype(float), theta_t.astype(float), np.nan)


def all_conditions(table: Table) -> list[np.ndarray]:
    """What each condition that is allowed holds (N,)."""
    found = []
    for column, n, at_least, below in zip(
        table.codes, table.n_codes, table.excitatory, table.inhibitory, strict=True
    ):
        for k in range(1, n):
            found += [(column >= k) | (column < 0)] * bool(at_least)
            found += [(column < k)] * bool(below)
    return found


def most_right(held: tuple[np.ndarray, ...], table: Table) -> float:
    """The most right decisions of the regions that conditions cut, unless two conditions would alternate."""
    regions = np.array(held).T @ (1 << np.arange(len(held)))
    sums = np.array([table.targets[regions == g].sum(axis=0) for g in range(2 ** len(held))])
    right = sums.max(axis=1).sum()
    decided = sums.argmax(axis=1)
    if len(held) == 2 and decided[0] == decided[3] != decided[1] == decided[2]:
        best_two = np.sort(sums, axis=1)[:, -2:]
        right -= (best_two[:, 1] - best_two[:, 0]).min()  # one of them has to give way
    return float(right)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(6))
def test_one_and_two_conditions_decide_as_well_as_the_best_of_all(seed: int, missing: float) -> None:
    table = make_table(seed, missing)
    found = small.improved([nothing(table)], table, max_size=2)
    reached = {one.size(table.n_codes): small.right_decisions(one, table) for one in found}
    conditions = all_conditions(table)
    for size in (1, 2):
        best = max(most_right(held, table) for held in itertools.combinations(conditions, size))
        assert reached[size] == pytest.approx(best, abs=1e-9)


def wrong(sums: np.ndarray) -> np.ndarray:
    """The wrong decisions in regions with these sums of the targets (G, C), and a little for impurity."""
    numbers = sums.sum(axis=1)
    nats = xlogy(numbers, numbers) - xlogy(sums, sums).sum(axis=1)
    return np.asarray(numbers - sums.max(axis=1) + fast_conditions.PER_NAT * nats)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("chosen", [(), (1,), (0, 3, 5)])
def test_wrong_decisions_are_those_of_each_condition_alone(chosen: tuple[int, ...], missing: float) -> None:
    table = make_table(7, missing)._replace(excitatory=np.array([True, False, True]))
    conditions = small._Conditions(table)
    regions = conditions.regions(chosen)
    found = conditions.wrong_with_each(regions)
    assert len(found) == len(conditions.columns)
    for k, value in enumerate(found):
        excluded = conditions.excludes(k)
        sums = np.zeros((2, regions.max() + 1, table.targets.shape[1]))
        np.add.at(sums, (excluded.astype(int), regions), table.targets)
        cuts = (sums.sum(axis=2) > 0.5).all(axis=0).any()
        assert value == (pytest.approx(wrong(sums[0]).sum() + wrong(sums[1]).sum()) if cuts else np.inf)


def test_monotone_conditions_only() -> None:
    table = make_table(0)._replace(
        excitatory=np.array([True, False, False]), inhibitory=np.array([False, False, True])
    )
    found = small.improved([nothing(table)], table, max_size=4)
    assert len(found) > 2
    for one in found:
        low, high = one.boxes[:, 0] > 0, one.boxes[:, 1] < table.n_codes - 1
        assert not low[:, 1:].any() and not high[:, :2].any()
    best = max(most_right((held,), table) for held in all_conditions(table))
    assert small.right_decisions(found[1], table) == pytest.approx(best)


def test_a_given_circuit_stays_unless_another_decides_better() -> None:
    table = make_table(1)
    first = small.improved([nothing(table)], table, max_size=3)
    again = small.improved(first, table, max_size=3)
    assert all(one is other for one, other in zip(first, again, strict=True))
    # Larger ones are not touched.
    limited = small.improved([first[0], first[-1]], table, max_size=1)
    assert limited[-1] is first[-1] and [one.size(table.n_codes) for one in limited] == [0, 1, 3]


def test_conditions_that_cut_nothing_are_left_out() -> None:
    table = make_table(2, missing=0.0)
    table.codes[1] = 0  # a category that no sample has
    table = table._replace(codes=np.concatenate([table.codes, table.codes[:1]]))  # and a copy of a feature
    table = table._replace(
        n_codes=np.append(table.n_codes, table.n_codes[0]),
        excitatory=np.ones(4, bool),
        inhibitory=np.ones(4, bool),
    )
    for one in small.improved([nothing(table)], table, max_size=6):
        rows = [*one.held(table.codes), *~one.held(table.codes)]
        assert len({row.tobytes() for row in rows}) == len(rows), "two rules say the same"
        assert all(row.any() for row in rows), "a rule always holds"


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_no_tree_with_as_many_splits_fits_better(load) -> None:  # type: ignore[no-untyped-def]
    X, y = load(return_X_y=True)
    for size in (1, 2, 3):
        circuit = CircuitClassifier(size=size, start="nothing", random_state=0).fit(X, y)
        tree = DecisionTreeClassifier(max_leaf_nodes=size + 1, random_state=0).fit(X, y)
        assert circuit.score(X, y) >= tree.score(X, y)
        assert circuit.circuit_.n_conditions <= size


def test_no_larger_circuit_decides_worse() -> None:
    for seed in range(4):
        table = make_table(seed)
        learned = boxes.learn(table, Starts.none(3, 3), 16)
        found = small.improved([_with_integers(one, table) for one in learned], table, 16)
        assert found[-1].size(table.n_codes) > small.LARGEST or seed
        right = [small.right_decisions(one, table) for one in found]
        assert right == sorted(right)


@pytest.mark.parametrize(("limit", "value"), [("WORK", 1), ("ROOM", 40)])
def test_the_search_is_shorter_where_it_is_slow(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table(0)
    whole = small.improved([nothing(table)], table, max_size=4)
    calls = []
    counted = small._Conditions.wrong_with_each

    def wrong_with_each(self: small._Conditions, regions: np.ndarray) -> np.ndarray:
        calls.append(len(regions))
        return counted(self, regions)

    monkeypatch.setattr(small._Conditions, "wrong_with_each", wrong_with_each)
    monkeypatch.setattr(small, limit, value)
    shorter = small.improved([nothing(table)], table, max_size=4)
    assert 1 <= len(calls) <= 4 < small.WIDTH
    assert small.right_decisions(shorter[-1], table) <= small.right_decisions(whole[-1], table)
