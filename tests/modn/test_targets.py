"""Target cells: equations against slow ones, gradients by finite differences, kernels by the equations."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn import gradients, methods
from modn.fast.objective import Objective
from modn.fast.prediction import potentials
from modn.neuron import Neuron
from modn.targets import IDENTITY, SIGMOID, SOFTMAX, TARGETS, Target, target_cell

CELLS = pytest.mark.parametrize("cell", TARGETS.values(), ids=list(TARGETS))


def wanted(cell: Target, rng: np.random.Generator, N: int, C: int) -> np.ndarray:
    """What N samples should have."""
    if cell is SOFTMAX:
        return rng.integers(C, size=N)
    return rng.integers(2, size=(N, C)) if cell is SIGMOID else rng.normal(size=(N, C))


def case(
    cell: Target, strengths: bool, seed: int = 0, N: int = 40, D: int = 3, M: int = 5, C: int = 2
) -> Any:
    """Samples, some of them equal and some with a missing value, and a row of parameters."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(N, D)) / 3
    X[rng.random((N, D)) < 0.1] = np.nan
    objective = Objective(
        X, wanted(cell, rng, N, C), M, C, 4.0, 1.5, rng.integers(1, 4, size=N), cell.name, strengths
    )
    rows = rng.uniform(-1, 1, (3, objective.n_parameters))
    return objective, rows, rng.random((3, M, C)) < 0.6


def neuron_of(objective: Objective, row: np.ndarray, P: np.ndarray) -> Neuron:
    return Neuron.from_parameters(
        row, P, objective.X.shape[1], 4.0, 1.5, objective.target.name, objective.strengths
    )


def readable_loss(objective: Objective, row: np.ndarray, P: np.ndarray) -> float:
    U = neuron_of(objective, row, P).potentials(objective.X)
    return float(np.average(objective.target.losses(U, objective.y), weights=objective.sample_weight))


# The cells


def test_the_losses_are_those_of_one_sample_at_a_time() -> None:
    U = np.array([[0.3, -1.2, 2.0], [5.0, -5.0, 0.0]])
    for n, c in enumerate([2, 0]):
        R = [math.tanh(u) for u in U[n]]
        by_hand = -math.log(math.exp(R[c]) / sum(math.exp(r) for r in R))
        assert SOFTMAX.losses(U, np.array([2, 0]))[n] == pytest.approx(by_hand, rel=1e-12)
        by_hand = -math.log(math.exp(U[n, c]) / sum(math.exp(u) for u in U[n]))
        assert SOFTMAX.descent_losses(U, np.array([2, 0]))[n] == pytest.approx(by_hand, rel=1e-12)
    labels = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    numbers = np.array([[0.5, 1.0, -1.0], [2.0, 0.0, 3.0]])
    for n in range(2):
        proba = [1 / (1 + math.exp(-u)) for u in U[n]]
        by_hand = -sum(math.log(p if has else 1 - p) for p, has in zip(proba, labels[n], strict=True))
        assert SIGMOID.losses(U, labels)[n] == pytest.approx(by_hand, rel=1e-12)
        by_hand = sum((u - t) ** 2 for u, t in zip(U[n], numbers[n], strict=True)) / 2
        assert IDENTITY.losses(U, numbers)[n] == pytest.approx(by_hand, rel=1e-12)


@CELLS
def test_the_gradient_is_the_slope_of_the_loss(cell: Target) -> None:
    rng = np.random.default_rng(1)
    U, y, step = rng.normal(size=(6, 3)), wanted(cell, rng, 6, 3), 1e-6
    slopes = [(cell.losses(U + e, y) - cell.losses(U - e, y)) / (2 * step) for e in step * np.eye(3)]
    assert cell.gradient(U, y) == pytest.approx(np.stack(slopes, axis=1), abs=1e-8)


def test_the_scale_of_potentials_counts_for_numbers_only() -> None:
    rng = np.random.default_rng(2)
    U = rng.normal(size=(50, 3))
    noisy = U + rng.normal(size=U.shape)
    for cell, y in ((SOFTMAX, noisy.argmax(axis=1)), (SIGMOID, noisy > 0)):
        assert cell.held_out_loss(4.0 * U, y) == pytest.approx(cell.held_out_loss(2.0 * U, y), rel=1e-9)
    assert IDENTITY.held_out_loss(2 * U, U) == pytest.approx((U**2).sum(axis=1).mean() / 2)
    weight = np.arange(50.0)
    weighted = np.average((U**2).sum(axis=1) / 2, weights=weight)
    assert IDENTITY.held_out_loss(2 * U, U, weight) == pytest.approx(weighted)


def test_dendrites_start_around_samples_of_their_output() -> None:
    assert SOFTMAX.examples(np.array([0, 1, 1]), 1).tolist() == [False, True, True]
    assert SIGMOID.examples(np.array([[1.0, 0.0], [1.0, 1.0]]), 1).tolist() == [False, True]
    assert IDENTITY.examples(np.zeros((2, 1)), 0).tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "y", "message"),
    [
        ("softmax", [0, 5, 1], r"y\[1\] is 5; allowed: an integer from 0 to 1"),
        ("softmax", [0.5, 1.0, 0.0], "y has the dtype float64; allowed: integers, the indices of classes"),
        ("sigmoid", [[0, 1], [2, 0], [1, 1]], r"y\[1, 0\] is 2.0; allowed: 0 or 1"),
        ("sigmoid", [0, 1, 1], r"y has the shape \(3,\); allowed: \(3, 2\)"),
        ("identity", [[0, 1], [np.nan, 0], [1, 1]], r"y\[1, 0\] is nan; allowed: a finite number"),
        ("ordinal", [0, 1, 1], "target is 'ordinal'; allowed: identity, sigmoid, softmax"),
    ],
)
def test_what_a_target_cell_does_not_take(name: str, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Objective(np.zeros((3, 1)), y, 2, 2, 1.0, 1.0, target=name)


# The neuron


def test_a_neuron_without_strengths_is_one_whose_strengths_are_1() -> None:
    objective, rows, P = case(SIGMOID, False)
    plain = neuron_of(objective, rows[0], P[0])
    row = np.concatenate([rows[0], np.ones(P[0].size)])
    strong = Neuron.from_parameters(row, P[0], 3, 4.0, 1.5, "sigmoid", strengths=True)
    assert (plain.outputs(objective.X) == strong.outputs(objective.X)).all()
    assert plain.strength is None and (strong.parameters() == row).all()


def test_the_outputs_of_a_neuron_are_those_of_its_target_cell() -> None:
    for cell in TARGETS.values():
        objective, rows, P = case(cell, True)
        neuron = neuron_of(objective, rows[0], P[0])
        V = neuron.dendrites(objective.X) @ (P[0] * rows[0][-P[0].size :].reshape(P[0].shape))
        U = 1.5 * (neuron.w_t * V - neuron.theta_t)
        assert neuron.outputs(objective.X) == pytest.approx(cell.outputs(U))
        assert potentials(neuron, objective.X) == pytest.approx(U, abs=1e-5)
        if cell is not IDENTITY:
            assert neuron.predict_proba(objective.X) == pytest.approx(cell.outputs(U))


def test_what_a_neuron_refuses() -> None:
    arrays = (np.ones((2, 3)), np.ones((2, 3)), np.ones((3, 1), bool), np.ones(1), np.ones(1), 1.0, 1.0)
    with pytest.raises(ValueError, match="target is 'ordinal'; allowed: identity, sigmoid, softmax"):
        Neuron(*arrays, target="ordinal")
    with pytest.raises(ValueError, match=r"strength has the shape \(3,\); allowed: \(3, 1\)"):
        Neuron(*arrays, strength=np.ones(3))
    neuron = Neuron(*arrays, target="identity")
    with pytest.raises(
        ValueError, match="target is 'identity': numbers have no probabilities; use `outputs`"
    ):
        neuron.predict_proba(np.ones((1, 2)))
    with pytest.raises(ValueError, match=r"Eqs\. 15-22 are for a neuron whose target is 'softmax'"):
        gradients.published(neuron, np.ones((1, 2)), [[0.0]], "full")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), C=st.integers(1, 3), strengths=st.booleans())
@CELLS
def test_exact_is_the_slope_of_the_loss(cell: Target, seed: int, C: int, strengths: bool) -> None:
    objective, rows, P = case(cell, strengths, seed, N=6, D=2, M=3, C=C)
    neuron, step = neuron_of(objective, rows[0], P[0]), 1e-5

    def loss(row: np.ndarray) -> float:
        U = neuron_of(objective, row, P[0]).potentials(objective.X)
        return float(cell.losses(U, objective.y).mean())

    slopes = [(loss(rows[0] + e) - loss(rows[0] - e)) / (2 * step) for e in step * np.eye(rows.shape[1])]
    assert gradients.exact(neuron, objective.X, objective.y) == pytest.approx(slopes, abs=1e-7)


# The kernels


@pytest.mark.parametrize("strengths", [False, True])
@CELLS
def test_the_kernels_compute_the_readable_loss_and_gradient(cell: Target, strengths: bool) -> None:
    objective, rows, P = case(cell, strengths)
    by_hand = [readable_loss(objective, row, own) for row, own in zip(rows, P, strict=True)]
    loss, gradient = objective.loss_and_gradient(rows, P)
    assert objective.loss(rows, P) == pytest.approx(by_hand, rel=2e-5)
    assert loss == pytest.approx(by_hand, rel=2e-5)
    repeated = np.repeat(np.arange(len(objective.X)), objective.sample_weight.astype(int))
    for row, own, slope in zip(rows, P, gradient, strict=True):
        exact = gradients.exact(neuron_of(objective, row, own), objective.X[repeated], objective.y[repeated])
        assert slope == pytest.approx(exact, abs=2e-5)


@pytest.mark.parametrize("strengths", [False, True])
@CELLS
def test_many_filters_cost_what_each_does_alone(cell: Target, strengths: bool) -> None:
    objective, rows, P = case(cell, strengths)
    alone = [float(objective.loss(rows[0], own)[0]) for own in P]
    assert objective.loss(rows[0], P) == pytest.approx(alone, rel=1e-5)


@pytest.mark.parametrize("strengths", [False, True])
@CELLS
def test_a_real_filter_has_a_gradient(cell: Target, strengths: bool) -> None:
    objective, rows, _ = case(cell, strengths)
    P = np.random.default_rng(3).uniform(0.2, 0.8, (3, 5, 2))
    loss, slopes, dP = objective.potential_loss_and_gradient(rows, P)
    step = 1e-2
    for place in ((0, 0), (4, 1)):
        moved = [P.copy(), P.copy()]
        for sign, own in zip((1, -1), moved, strict=True):
            own[:, *place] += sign * step
        up, down = (objective.potential_loss_and_gradient(rows, own)[0] for own in moved)
        assert dP[:, *place] == pytest.approx((up - down) / (2 * step), abs=2e-3)
    moved_rows = rows.copy()
    moved_rows[:, -1] += step
    up = objective.potential_loss_and_gradient(moved_rows, P)[0]
    assert slopes[:, -1] == pytest.approx((up - loss) / step, abs=2e-2)


def test_equal_samples_with_different_numbers_keep_their_spread() -> None:
    """What no neuron can avoid is part of the loss, and of none of the gradient."""
    X, y = np.array([[0.5], [0.5], [0.2]]), np.array([[1000.0], [1002.0], [1000.0]])
    objective = Objective(X, y, 1, 1, 1.0, 1.0, target="identity")
    shut = np.array([0.0, 0.0, 0.0, -1001.0])  # w_t = 0: the output is 1001
    assert objective.loss(shut, np.ones((1, 1), bool)) == pytest.approx([0.5], rel=1e-4)


@pytest.mark.parametrize(("target", "strengths"), [("sigmoid", False), ("softmax", True)])
def test_the_published_gradient_is_that_of_the_papers_neuron(target: str, strengths: bool) -> None:
    objective, rows, _ = case(target_cell(target), strengths)
    with pytest.raises(ValueError, match="allowed: for the published gradient, 'softmax' and False"):
        objective.published_gradient(rows, np.ones((5, 2), bool), "full")


# The methods


@pytest.mark.parametrize("solver", [*methods.solvers(), "bbo+adam"])
@pytest.mark.parametrize("strengths", [False, True])
@CELLS
def test_every_solver_trains_with_every_target(cell: Target, strengths: bool, solver: str) -> None:
    objective, *_ = case(cell, strengths, N=20, D=2, M=4)
    filter = "learned" if methods.learns_filter(solver) else "full"
    method = methods.make(solver, filter)
    problem = methods.neuron_problem(objective, filter)
    trained = method.train(problem, 3, np.random.default_rng(0))
    assert np.isfinite(trained.loss)
    by_hand = readable_loss(objective, trained.parameters, np.asarray(trained.P))
    assert trained.loss == pytest.approx(by_hand, rel=1e-4)
