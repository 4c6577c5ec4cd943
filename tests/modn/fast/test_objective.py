"""The fast objective against the readable neuron and its readable gradients."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn import filters, gradients
from modn.fast.objective import Objective
from modn.loss import cross_entropy
from modn.methods import neuron_problem
from modn.neuron import Neuron


class Case(NamedTuple):
    objective: Objective
    parameters: np.ndarray
    P: np.ndarray

    def neurons(self) -> list[Neuron]:
        o = self.objective
        S, M, C = (
            max(len(self.parameters), len(self.P) if self.P.ndim == 3 else 1),
            o.n_dendrites,
            o.n_classes,
        )
        rows = np.broadcast_to(self.parameters, (S, o.n_parameters))
        each = zip(rows, np.broadcast_to(self.P, (S, M, C)), strict=True)
        return [Neuron.from_parameters(row, P, o.X.shape[1], o.alpha_s, o.alpha_t) for row, P in each]

    def readable_loss(self) -> list[float]:
        return [cross_entropy(n.predict_proba(self.objective.X), self.objective.y) for n in self.neurons()]

    def readable_gradient(self) -> np.ndarray:
        return np.array([gradients.exact(n, self.objective.X, self.objective.y) for n in self.neurons()])


def make_case(
    seed: int,
    N: int = 30,
    D: int = 4,
    M: int = 6,
    C: int = 3,
    S: int = 5,
    distinct: int | None = None,
    one_filter: bool = False,
    one_row: bool = False,
    size: float = 1.0,
    alpha_s: float = 10.0,
    shift: float = 0.0,
) -> Case:
    """`distinct` values per feature (None: as many as there are samples), parameters within +-`size`."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, D)) if distinct is None else rng.integers(distinct, size=(N, D)) / distinct
    objective = Objective(X + shift, rng.integers(C, size=N), M, C, alpha_s, alpha_t=1.0)
    parameters = rng.uniform(-size, size, (1 if one_row else S, objective.n_parameters))
    return Case(objective, parameters, rng.random((M, C) if one_filter else (S, M, C)) < 0.5)


cases = st.builds(
    make_case,
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 150),
    D=st.one_of(st.integers(1, 8), st.integers(1, 60)),
    M=st.integers(1, 40),
    C=st.integers(1, 7),
    S=st.integers(1, 35),
    distinct=st.sampled_from([None, 1, 2, 3, 10, 50]),
    one_filter=st.booleans(),
    one_row=st.booleans(),
    size=st.sampled_from([0.1, 1.0, 10.0]),
    alpha_s=st.sampled_from([0.5, 2.0, 10.0]),
)


@settings(max_examples=40, deadline=None)
@given(case=cases)
def test_the_loss_is_that_of_the_readable_neuron(case: Case) -> None:
    loss = case.objective.loss(case.parameters, case.P)
    assert loss.dtype == np.float64
    assert loss == pytest.approx(case.readable_loss(), abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(case=cases)
def test_the_gradient_is_that_of_the_readable_neuron(case: Case) -> None:
    loss, gradient = case.objective.loss_and_gradient(case.parameters, case.P)
    assert loss == pytest.approx(case.readable_loss(), abs=1e-5)
    readable = case.readable_gradient()
    assert gradient.shape == readable.shape
    assert gradient == pytest.approx(readable, abs=1e-5 * max(1.0, case.objective.alpha_s))
    assert np.array_equal(case.objective.gradient(case.parameters, case.P), gradient)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 80),
    D=st.integers(1, 60),
    groups=st.integers(1, 4),
    C=st.integers(1, 5),
    S=st.integers(1, 20),
    distinct=st.sampled_from([None, 3]),
    kind=st.sampled_from(["partition", "full"]),
)
def test_the_published_gradient_is_the_readable_one(
    seed: int, N: int, D: int, groups: int, C: int, S: int, distinct: int | None, kind: str
) -> None:
    case = make_case(seed, N, D, groups * C, C, S, distinct, one_filter=True)
    P = {"partition": filters.partition, "full": filters.full}[kind](groups * C, C)
    published = case.objective.published_gradient(case.parameters, P, kind)
    X, y = case.objective.X, case.objective.y
    # a synapse within rounding of Y = 1e-6 may fall on either side: such samples are not comparable
    Y = np.array([neuron.synapses(X) for neuron in case.neurons()])
    if not (np.abs(Y / 1e-6 - 1) < 1e-3).any():
        readable = [gradients.published(neuron, X, y, kind) for neuron in case._replace(P=P).neurons()]
        assert published == pytest.approx(np.array(readable), abs=1e-5 * case.objective.alpha_s)


@pytest.mark.parametrize("S", [1, 2, 3, 15, 16, 17, 48, 100])
@pytest.mark.parametrize("M", [1, 7, 16, 20])
def test_an_individual_costs_the_same_in_any_population(S: int, M: int) -> None:
    """How individuals share the vectors changes nothing but the order of the soma's sum."""
    case = make_case(S, M=M, S=S)
    together = case.objective.loss(case.parameters, case.P)
    alone = [case.objective.loss(row, P)[0] for row, P in zip(case.parameters, case.P, strict=True)]
    assert together == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("alpha_s", [100.0, 1e4, 1e12])
@pytest.mark.parametrize("D", [1, 13, 60])
def test_saturated_synapses(alpha_s: float, D: int) -> None:
    """Each synapse is 0 or 1 for every sample: x is 0.25 or 0.75, and no w x comes near theta."""
    rng = np.random.default_rng(D)
    N, M, C, S = 40, 5, 3, 20
    X = rng.choice([0.25, 0.75], size=(N, D))
    w = rng.choice([-1.0, 1.0], size=(S, D * M))
    theta = rng.choice([-1.0, -0.5, 0.5, 1.0], p=[0.8, 0.1, 0.05, 0.05], size=(S, D * M))
    objective = Objective(X, rng.integers(C, size=N), M, C, alpha_s, 1.0)
    case = Case(objective, np.hstack([w, theta, rng.uniform(-1, 1, (S, 2 * C))]), rng.random((M, C)) < 0.5)
    dendrites = np.array([neuron.dendrites(X) for neuron in case.neurons()])
    assert (dendrites < 1e-6).any()
    assert (dendrites > 0.9).any()
    loss, gradient = objective.loss_and_gradient(case.parameters, case.P)
    assert loss == pytest.approx(case.readable_loss(), abs=1e-5)
    assert objective.loss(case.parameters, case.P) == pytest.approx(case.readable_loss(), abs=1e-5)
    assert gradient[:, -2 * C :] == pytest.approx(case.readable_gradient()[:, -2 * C :], abs=1e-5)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("scale", [1e-300, 1e100, 1e300])
def test_any_finite_number_gives_a_finite_result(scale: float) -> None:
    case = make_case(1)
    X = scale * np.random.default_rng(1).uniform(-1, 1, case.objective.X.shape)
    objective = Objective(X, case.objective.y, 6, 3, alpha_s=1e10, alpha_t=1e10)
    for factor in (1e-300, 1.0, 1e300):
        loss, gradient = objective.loss_and_gradient(factor * case.parameters, case.P)
        assert np.isfinite(loss).all()
        assert (
            np.isfinite(gradient).all() or scale * 1e10 > 1e300
        )  # dloss/dw_s = x alpha_s ... has no float64 then


def test_features_far_from_zero_keep_their_digits() -> None:
    """x' = x + 1000 with thresholds moved along is the same neuron, and float32 alone could not tell."""
    case = make_case(2, shift=1000.0, alpha_s=5.0)
    w_s, theta_s, rest = np.split(case.parameters, [4 * 6, 2 * 4 * 6], axis=1)
    case = case._replace(parameters=np.hstack([w_s, theta_s + 1000.0 * w_s, rest]))
    assert case.objective.loss(case.parameters, case.P) == pytest.approx(case.readable_loss(), abs=1e-5)
    assert case.objective.gradient(case.parameters, case.P) == pytest.approx(
        case.readable_gradient(), rel=1e-4, abs=1e-2
    )


@pytest.mark.parametrize("alpha_s", [1.0, 10.0, 100.0])
def test_measured_values_give_the_loss_of_the_readable_neuron(alpha_s: float) -> None:
    """Few decimals, so that the kernel splits them; at the largest alpha_s it must clamp instead."""
    rng = np.random.default_rng(1)
    X = np.stack([rng.integers(0, n, 700) / n for n in (1000, 400, 90)], axis=1)
    y = rng.integers(3, size=700)
    objective = Objective(X, y, 12, 3, alpha_s, 1.0)
    parameters = neuron_problem(objective, "full").space.sample(19, rng)
    P = rng.random((19, 12, 3)) < 0.5
    expected = [
        cross_entropy(Neuron.from_parameters(row, own, 3, alpha_s, 1.0).predict_proba(X), y)
        for row, own in zip(parameters, P, strict=True)
    ]
    np.testing.assert_allclose(objective.loss(parameters, P), expected, rtol=2e-6)


def test_many_samples_are_cut_into_blocks() -> None:
    case = make_case(3, N=5000, D=40, M=3, S=2)
    assert len(case.objective._blocks) > 5
    assert case.objective.loss(case.parameters, case.P) == pytest.approx(case.readable_loss(), abs=1e-5)
    assert case.objective.gradient(case.parameters, case.P) == pytest.approx(
        case.readable_gradient(), abs=1e-5
    )


def test_a_weight_counts_as_so_many_equal_samples() -> None:
    case = make_case(8, N=40)
    weight = np.random.default_rng(8).integers(0, 4, 40)
    o = case.objective
    repeated = Objective(o.X.repeat(weight, 0), o.y.repeat(weight), o.n_dendrites, o.n_classes, 10.0, 1.0)
    weighted = Objective(o.X, o.y, o.n_dendrites, o.n_classes, 10.0, 1.0, sample_weight=weight)
    for expected, got in zip(
        repeated.loss_and_gradient(case.parameters, case.P),
        weighted.loss_and_gradient(case.parameters, case.P),
        strict=True,
    ):
        assert got == pytest.approx(expected, abs=1e-5)
    assert weighted.loss(case.parameters, case.P) == pytest.approx(repeated.loss(case.parameters, case.P))


@settings(max_examples=20, deadline=None)
@given(cases.filter(lambda case: case.P.ndim == 3 and len(case.P) == len(case.parameters)))
def test_the_loss_of_the_potentials_and_its_slopes(case: Case) -> None:
    """Against the readable layers, with real filters, and against differences of that loss."""
    o = case.objective
    rng = np.random.default_rng(0)
    P = rng.random(case.P.shape)

    def readable(row: np.ndarray, P: np.ndarray) -> float:
        M, C = P.shape
        neuron = Neuron.from_parameters(row, np.ones((M, C), bool), o.X.shape[1], o.alpha_s, o.alpha_t)
        U = o.alpha_t * (neuron.w_t * (neuron.dendrites(o.X) @ P) - neuron.theta_t)
        return float((np.logaddexp.reduce(U, axis=1) - U[np.arange(len(U)), o.y]).mean())

    loss, gradient, dP = o.potential_loss_and_gradient(case.parameters, P)
    assert loss == pytest.approx(
        [readable(*one) for one in zip(case.parameters, P, strict=True)], rel=1e-4, abs=1e-5
    )
    direction, filter_direction = rng.normal(size=gradient.shape[1]), rng.normal(size=dP.shape[1:])
    step, row = 1e-5, case.parameters[0]
    slope = (readable(row + step * direction, P[0]) - readable(row - step * direction, P[0])) / (2 * step)
    assert gradient[0] @ direction == pytest.approx(slope, rel=1e-2, abs=2e-3)
    up, down = P[0] + step * filter_direction, P[0] - step * filter_direction
    slope = (readable(row, up) - readable(row, down)) / (2 * step)
    assert (dP[0] * filter_direction).sum() == pytest.approx(slope, rel=1e-3, abs=1e-4)


def test_one_row_and_many_filters() -> None:
    case = make_case(4, S=37, one_row=True)
    loss = case.objective.loss(case.parameters[0], case.P)
    assert loss.shape == (37,)
    assert loss == pytest.approx(case.readable_loss(), abs=1e-5)
    gradient = case.objective.gradient(case.parameters[0], case.P)
    assert gradient == pytest.approx(case.readable_gradient(), abs=1e-5)


def test_a_step_down_the_gradient_lowers_the_loss() -> None:
    case = make_case(5, N=90, S=30)
    loss, gradient = case.objective.loss_and_gradient(case.parameters, case.P)
    assert (case.objective.loss(case.parameters - 1e-3 * gradient, case.P) < loss).all()


def test_the_layout_of_the_arguments_does_not_matter() -> None:
    case = make_case(6)
    loss = case.objective.loss(case.parameters, case.P)
    parameters, P = np.asfortranarray(case.parameters), np.asfortranarray(case.P)
    assert np.array_equal(case.objective.loss(parameters, P), loss)
    parameters.flags.writeable = P.flags.writeable = False
    assert np.array_equal(case.objective.loss(parameters, P), loss)
    assert np.array_equal(case.objective.loss(case.parameters.tolist(), case.P.tolist()), loss)


def test_arguments_are_left_as_they_were() -> None:
    case = make_case(7)
    parameters, P, X = case.parameters.copy(), case.P.copy(), case.objective.X.copy()
    case.objective.loss(case.parameters, case.P)
    case.objective.gradient(case.parameters, case.P)
    assert np.array_equal(case.parameters, parameters)
    assert np.array_equal(case.P, P)
    assert np.array_equal(case.objective.X, X)


def test_threads_give_the_same_bytes() -> None:
    cases = [make_case(seed, N=200, S=40) for seed in range(8)]

    def evaluate(case: Case) -> tuple[bytes, bytes]:
        loss, gradient = case.objective.loss_and_gradient(case.parameters, case.P)
        return loss.tobytes() + case.objective.loss(case.parameters, case.P).tobytes(), gradient.tobytes()

    one_by_one = [evaluate(case) for case in cases]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(evaluate, cases)) == one_by_one


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_synapses() -> None:
    """64 individuals x 10,000 samples x 60 features x 60 dendrites would be 9 GB of float32 synapses."""
    code = """
import resource, sys, numpy as np
from modn.fast.objective import Objective
rng = np.random.default_rng(0)
X, y, P = rng.random((10_000, 60)), rng.integers(3, size=10_000), rng.random((60, 3)) < 0.5
Objective(X[:99], y[:99], 60, 3, 10.0, 1.0).loss_and_gradient(rng.random(7206), P)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
objective = Objective(X, y, 60, 3, 10.0, 1.0)
objective.loss(rng.random((64, objective.n_parameters)), P)
objective.gradient(rng.random((16, objective.n_parameters)), P)
per_MiB = 2**20 if sys.platform == 'darwin' else 2**10  # macOS counts bytes, Linux KiB
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / per_MiB)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 100  # MiB


@pytest.mark.slow
def test_a_small_import() -> None:
    """Training workers start by importing this: neither pandas nor scikit-learn comes along."""
    heavy = {"pandas", "sklearn", "matplotlib"}
    code = f"import sys, modn.fast.objective; print(*{heavy} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
