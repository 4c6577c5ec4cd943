"""CMA-ES: each update against a slow computation, its learning rates, and when and how it restarts."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from modn.optimizers import Space, minimize
from modn.optimizers.cmaes import CMAES, CMAESState, rates

SPACE = Space.box([-1.0, 0.0, 2.0, -3.0], [1.0, 5.0, 2.0, 3.0])  # the third variable is fixed
REACH = SPACE.range


def ellipsoid(candidates: np.ndarray) -> np.ndarray:
    return (np.array([1.0, 10.0, 100.0, 1000.0]) * (candidates - 0.5) ** 2).sum(axis=1)


def told(optimizer: CMAES, state: CMAESState, costs: Any, rng: np.random.Generator) -> CMAESState:
    result: CMAESState = optimizer.tell(state, optimizer.ask(state, rng), costs, rng)
    return result


def begun(optimizer: CMAES, space: Space = SPACE) -> tuple[CMAESState, np.random.Generator]:
    """The state after the initial population, whose third individual is the best."""
    rng = np.random.default_rng(0)
    costs = np.where(np.arange(optimizer.population) == 2, 1.0, 2.0)
    return told(optimizer, optimizer.init(space, rng), costs, rng), rng


def test_the_first_mean_is_the_best_of_the_initial_population() -> None:
    optimizer = CMAES(population=6)
    first = optimizer.init(SPACE, np.random.default_rng(0)).batch
    state, _ = begun(optimizer)
    assert (state.mean == first[2]).all() and (state.variances == 1).all() and state.sigma == optimizer.sigma


def test_samples_are_normal_around_the_mean() -> None:
    optimizer = CMAES(population=40_000, sigma=0.2)
    state, rng = begun(optimizer)
    state = optimizer._sampled(replace(state, variances=np.array([1.0, 4.0, 9.0, 0.25])), rng)
    samples = optimizer.ask(state, rng)
    expected = 0.2 * np.array([1, 2, 3, 0.5]) * REACH
    assert samples.mean(axis=0) == pytest.approx(state.mean, abs=0.03)
    assert samples.std(axis=0) == pytest.approx(expected, rel=0.02, abs=1e-12)
    assert np.corrcoef(samples[:, [0, 1, 3]].T) == pytest.approx(np.eye(3), abs=0.02)


def test_the_distribution_is_adapted_as_printed() -> None:
    """By the equations for a full covariance matrix, of which the diagonal is kept."""
    V, mu = 4, 4
    w = np.array([math.log(mu + 1) - math.log(i) for i in range(1, mu + 1)])
    w = w / w.sum()
    mu_eff = 1 / sum(w**2)
    c_s = (mu_eff + 2) / (V + mu_eff + 3)
    d_s = 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (V + 1)) - 1) + c_s
    c_c = 4 / (V + 4)
    c_cov = 1 / mu_eff * 2 / (V + math.sqrt(2)) ** 2
    c_cov += (1 - 1 / mu_eff) * min(1, (2 * mu_eff - 1) / ((V + 2) ** 2 + mu_eff))
    c_cov *= (V + 2) / 3
    chi = math.sqrt(V) * (1 - 1 / (4 * V) + 1 / (21 * V**2))

    optimizer = CMAES(population=2 * mu, sigma=0.02)
    state, rng = begun(optimizer)
    m, sigma, C, p_s, p_c = state.mean, 0.02, np.eye(V), np.zeros(V), np.zeros(V)
    held = 0
    for generation in range(1, 13):
        samples = optimizer.ask(state, rng)
        costs = ellipsoid(samples)
        state = optimizer.tell(state, samples, costs, rng)
        y = [(x - m) / sigma / np.where(REACH > 0, REACH, 1) for x in samples[np.argsort(costs)[:mu]]]
        step = sum(weight * one for weight, one in zip(w, y, strict=True))
        m = m + sigma * REACH * step
        whitened = np.linalg.inv(np.sqrt(C)) @ step
        p_s = (1 - c_s) * p_s + math.sqrt(c_s * (2 - c_s) * mu_eff) * whitened
        length = np.linalg.norm(p_s)
        slow = length / math.sqrt(1 - (1 - c_s) ** (2 * generation)) < (1.4 + 2 / (V + 1)) * chi
        held += not slow
        p_c = (1 - c_c) * p_c + slow * math.sqrt(c_c * (2 - c_c) * mu_eff) * step
        rank_mu = sum(weight * np.outer(one, one) for weight, one in zip(w, y, strict=True))
        C = (1 - c_cov) * C + c_cov / mu_eff * np.outer(p_c, p_c) + c_cov * (1 - 1 / mu_eff) * rank_mu
        C = np.diag(np.diag(C))
        sigma = sigma * math.exp(c_s / d_s * (length / chi - 1))
        for ours, expected in (
            (state.mean, m),
            (state.sigma, sigma),
            (state.variances, np.diag(C)),
            (state.sigma_path, p_s),
            (state.path, p_c),
        ):
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)
    assert 0 < held < 12  # both cases of the path were seen


@pytest.mark.parametrize(("n_samples", "V"), [(4, 1), (20, 300), (5000, 6), (20, 10**6)])
def test_the_learning_rates_are_possible(n_samples: int, V: int) -> None:
    r = rates(n_samples, V)
    assert len(r.weights) == n_samples // 2 and r.weights.sum() == pytest.approx(1)
    assert (r.weights > 0).all() and (np.diff(r.weights) < 0).all()
    assert all(0 < rate <= 1 for rate in (r.c_sigma, r.c_c, r.c_cov)) and r.d_sigma > 1


def test_a_flat_cost_restarts_with_twice_the_samples_after_a_while() -> None:
    optimizer = CMAES(population=10)
    state, rng = begun(optimizer)
    patience = 10 + 30 * 4 // 10
    for _ in range(patience + 1):
        assert state.batches == 1 and state.age == state.generation - 1
        state = told(optimizer, state, np.full(10, 7.0), rng)
    assert state.batches == 2 and state.age == 0 and state.sigma == optimizer.sigma
    assert state.best_cost == 1.0 and state.generation == patience + 2  # the search as a whole continues
    assert (state.variances == 1).all() and not state.path.any() and not state.sigma_path.any()
    assert (state.mean >= SPACE.lower).all() and (state.mean <= SPACE.upper).all()


def test_a_larger_generation_takes_several_iterations_of_the_same_size() -> None:
    optimizer = CMAES(population=5)
    state, rng = begun(optimizer)
    state = replace(state, batches=3)
    seen, costs = [], []
    for batch in range(3):
        assert len(state.samples) == 5 * batch and state.age == 0
        seen.append(optimizer.ask(state, rng))
        costs.append(ellipsoid(seen[-1]))
        state = optimizer.tell(state, seen[-1], costs[-1], rng)
    assert state.age == 1 and len(state.samples) == len(state.costs) == 0
    best = np.concatenate(seen)[np.argsort(np.concatenate(costs))[:7]]
    before, _ = begun(optimizer)
    moved = before.mean + rates(15, 4).weights @ (best - before.mean)
    np.testing.assert_allclose(state.mean, moved)


@pytest.mark.parametrize(
    "degenerate",
    [
        {"sigma": 1e-13},
        {"sigma": 1e13},
        {"variances": np.array([1.0, 1e-15, 1.0, 1.0])},
        {"plateau": np.inf},
    ],
    ids=["collapsed", "exploded", "ill-conditioned", "no finite cost"],
)
def test_a_degenerate_distribution_restarts(degenerate: dict[str, Any]) -> None:
    optimizer = CMAES(sigma=0.3)
    state = replace(begun(optimizer)[0], plateau=1.0)
    assert not optimizer._stands_still(state)
    assert optimizer._stands_still(replace(state, **degenerate))


def test_a_fixed_variable_restarts_nothing() -> None:
    optimizer = CMAES(sigma=0.3)
    state = replace(begun(optimizer)[0], plateau=1.0, variances=np.array([1.0, 1.0, 0.0, 1.0]))
    assert not optimizer._stands_still(state)


def test_lambda_stays_where_it_is_told_to() -> None:
    optimizer = CMAES(population=6, growth=1)
    state, rng = begun(optimizer)
    assert optimizer._restarted(state, rng).batches == 1


def test_restarts_leave_a_local_minimum() -> None:
    def rastrigin(x: np.ndarray) -> np.ndarray:
        return 10 * x.shape[1] + (x**2 - 10 * np.cos(2 * np.pi * x)).sum(axis=1)  # type: ignore[no-any-return]

    space = Space.box([-5.0] * 3, [4.0] * 3)
    once, often = (
        [minimize(CMAES(), space, rastrigin, n, np.random.default_rng(seed)).best_cost for seed in range(5)]
        for n in (50, 800)
    )
    assert max(once) > 0.9 and max(often) < 1e-6
