"""The readable gradients: exact against finite differences, published against the printed equations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn import filters, gradients
from modn.loss import cross_entropy
from modn.neuron import Neuron


def random_case(seed: int, N: int = 6, D: int = 3, M: int = 4, C: int = 2, kind: str = "random"):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    P = {"partition": filters.partition, "full": filters.full}.get(
        kind, lambda M, C: rng.random((M, C)) < 0.5
    )(M, C)
    neuron = Neuron.from_parameters(rng.uniform(-1, 1, 2 * D * M + 2 * C), P, D, alpha_s=3.0, alpha_t=1.5)
    return neuron, rng.random((N, D)), rng.integers(C, size=N)


def finite_differences(neuron: Neuron, X: np.ndarray, y: np.ndarray, step: float = 1e-5) -> np.ndarray:
    def loss(row: np.ndarray) -> float:
        moved = Neuron.from_parameters(row, neuron.P, neuron.n_features, neuron.alpha_s, neuron.alpha_t)
        return cross_entropy(moved.predict_proba(X), y)

    row = neuron.parameters()
    return np.array([(loss(row + e) - loss(row - e)) / (2 * step) for e in step * np.eye(len(row))])


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 6),
    D=st.integers(1, 4),
    groups=st.integers(1, 3),
    C=st.integers(1, 4),
    kind=st.sampled_from(["partition", "full", "random"]),
)
def test_exact_is_the_slope_of_the_loss(seed: int, N: int, D: int, groups: int, C: int, kind: str) -> None:
    neuron, X, y = random_case(seed, N, D, groups * C, C, kind)
    assert gradients.exact(neuron, X, y) == pytest.approx(finite_differences(neuron, X, y), abs=1e-8)


@pytest.mark.parametrize("kind", ["partition", "full"])
def test_published_is_the_printed_equations(kind: str) -> None:
    """Eqs. 15-22 with scalars and explicit products, and the update of Eqs. 11-14 as a descent."""
    neuron, X, y = random_case(7, C=2, M=4, kind=kind)
    # synapse (0, 1) is below 1e-6 for every sample, so that the rule has something to do
    theta_s = neuron.theta_s.copy()
    theta_s[0, 1] = 9.0
    neuron = Neuron(neuron.w_s, theta_s, neuron.P, neuron.w_t, neuron.theta_t, neuron.alpha_s, neuron.alpha_t)
    D, M, C = 3, 4, 2
    alpha_s, alpha_t, w_t, P = neuron.alpha_s, neuron.alpha_t, neuron.w_t, neuron.P
    dw_s, dtheta_s, dw_t, dtheta_t = np.zeros((D, M)), np.zeros((D, M)), np.zeros(C), np.zeros(C)
    for x, c in zip(X, y, strict=True):
        Y = np.empty((D, M))
        for i in range(D):
            for j in range(M):
                value = 1 / (1 + math.exp(-alpha_s * (neuron.w_s[i, j] * x[i] - neuron.theta_s[i, j])))
                Y[i, j] = 1.0 if value < 1e-6 else value
        V = [sum(math.prod(Y[:, j]) for j in range(M) if P[j, k]) for k in range(C)]
        R = [math.tanh(alpha_t * (w_t[k] * V[k] - neuron.theta_t[k])) for k in range(C)]
        O = [math.exp(r) / sum(math.exp(q) for q in R) for r in R]  # noqa: E741
        dw_t[c] += alpha_t * V[c] * (1 - O[c]) * (1 - R[c] ** 2)  # Eq. 15
        dtheta_t[c] += alpha_t * (O[c] - 1) * (1 - R[c] ** 2)  # Eq. 16
        for i in range(D):
            for j in range(M):
                others = math.prod(Y[q, j] for q in range(D) if q != i)
                if kind == "partition":
                    common = alpha_t * w_t[c] * alpha_s * (1 - O[c]) * (1 - R[c] ** 2) * P[j, c] * others
                    dw_s[i, j] += x[i] * common * Y[i, j] * (Y[i, j] - 1)  # Eq. 17
                    dtheta_s[i, j] += common * Y[i, j] * (1 - Y[i, j])  # Eq. 18
                else:
                    common = [alpha_t * w_t[s] * alpha_s * (1 - R[s] ** 2) * others for s in range(C)]
                    dR_w = [x[i] * common[s] * Y[i, j] * (1 - Y[i, j]) for s in range(C)]  # Eq. 21
                    dR_theta = [common[s] * Y[i, j] * (Y[i, j] - 1) for s in range(C)]  # Eq. 22
                    dw_s[i, j] += dR_w[c] - sum(O[s] * dR_w[s] for s in range(C))  # Eq. 19
                    dtheta_s[i, j] += dR_theta[c] - sum(O[s] * dR_theta[s] for s in range(C))  # Eq. 20
    ascent = np.concatenate([dw_s.ravel(), dtheta_s.ravel(), dw_t, dtheta_t]) / len(X)
    assert gradients.published(neuron, X, y, kind) == pytest.approx(-ascent, rel=1e-12, abs=1e-15)


def parts(neuron: Neuron, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The synapses' and the telodendra's share of a gradient."""
    n = 2 * neuron.n_features * neuron.n_dendrites
    return row[:n], row[n:]


def test_where_published_and_exact_differ_in_modnp() -> None:
    """One sample: its own class's synapses are moved the wrong way, the other class's not at all."""
    neuron, X, _ = random_case(11, N=1, kind="partition")
    published, exact = gradients.published(neuron, X, [0], "partition"), gradients.exact(neuron, X, [0])
    synapses, telodendra = parts(neuron, published)
    exact_synapses, exact_telodendra = parts(neuron, exact)
    of_class_0 = np.tile(neuron.P[:, 0], 2 * neuron.n_features)
    assert np.abs(exact_synapses[of_class_0]).min() > 0
    assert synapses[of_class_0] == pytest.approx(-exact_synapses[of_class_0])
    assert not synapses[~of_class_0].any()
    assert np.abs(exact_synapses[~of_class_0]).min() > 0
    assert telodendra[[0, 2]] == pytest.approx(exact_telodendra[[0, 2]])
    assert not telodendra[[1, 3]].any()
    assert np.abs(exact_telodendra[[1, 3]]).min() > 0


def test_where_published_and_exact_differ_in_modnf() -> None:
    """The synapses' gradient is right; the telodendra of the other classes are left out."""
    neuron, X, _ = random_case(12, N=1, kind="full")
    published, exact = gradients.published(neuron, X, [0], "full"), gradients.exact(neuron, X, [0])
    synapses, telodendra = parts(neuron, published)
    exact_synapses, exact_telodendra = parts(neuron, exact)
    assert synapses == pytest.approx(exact_synapses)
    assert telodendra[[0, 2]] == pytest.approx(exact_telodendra[[0, 2]])
    assert not telodendra[[1, 3]].any()
    assert np.abs(exact_telodendra[[1, 3]]).min() > 0


@pytest.mark.parametrize("kind", ["partition", "full"])
@pytest.mark.parametrize("n_zero", [1, 2])
def test_proposition_1_dying_dendrites(kind: str, n_zero: int) -> None:
    """With synapses that are exactly 0 the printed gradient of their dendrite vanishes; the rule revives it.

    The exact gradient, by way of log Z, is not zero by its form: where Y is tiny but not 0 in float64, it
    keeps the digits, however small. Here Y underflows to 0 and it vanishes with Z.
    """
    neuron, X, _ = random_case(13, N=8, D=3, M=2, C=2, kind=kind)
    y = np.zeros(8, dtype=int)  # of the class that dendrite 0 feeds

    def with_thresholds(theta: float) -> Neuron:
        theta_s = neuron.theta_s.copy()
        theta_s[:n_zero, 0] = theta
        return Neuron(neuron.w_s, theta_s, neuron.P, neuron.w_t, neuron.theta_t, 3.0, 1.5)

    def of_dendrite_0(row: np.ndarray) -> np.ndarray:
        return row[: 2 * 3 * 2].reshape(2, 3, 2)[:, :, 0]

    dead = with_thresholds(1e6)
    assert (dead.synapses(X)[:, :n_zero, 0] == 0).all()
    assert not of_dendrite_0(gradients.published(dead, X, y, kind, revive=False)).any()
    assert not of_dendrite_0(gradients.exact(dead, X, y)).any()
    revived = of_dendrite_0(gradients.published(dead, X, y, kind))
    assert not revived[:, :n_zero].any()  # the dead synapses themselves count as 1, where the sigmoid is flat
    assert (revived[:, n_zero:] != 0).all()

    dying = with_thresholds(20.0)
    assert (dying.synapses(X)[:, :n_zero, 0] < 1e-6).all()
    assert (of_dendrite_0(gradients.exact(dying, X, y)) != 0).all()


def test_the_other_dendrites_do_not_notice_a_dead_one() -> None:
    neuron, X, y = random_case(14, N=8, D=3, M=2, C=2, kind="full")
    theta_s = neuron.theta_s.copy()
    theta_s[0, 0] = 1e6
    dead = Neuron(neuron.w_s, theta_s, neuron.P, neuron.w_t, neuron.theta_t, 3.0, 1.5)
    for row in (gradients.exact(dead, X, y), gradients.published(dead, X, y, "full", revive=False)):
        assert (row[:12].reshape(2, 3, 2)[:, :, 1] != 0).all()


@pytest.mark.parametrize(
    ("filter", "P", "message"),
    [
        ("learned", filters.full(4, 2), "filter is 'learned'; allowed: full, partition"),
        ("full", filters.partition(4, 2), "P has a False; allowed: .* only True"),
        ("partition", filters.full(4, 2), "P has a dendrite with .*; allowed: .* one True per dendrite"),
    ],
)
def test_the_printed_equations_are_for_the_fixed_filters(filter: str, P: np.ndarray, message: str) -> None:
    neuron, X, y = random_case(15)
    neuron = Neuron.from_parameters(neuron.parameters(), P, 3, 3.0, 1.5)
    with pytest.raises(ValueError, match=message):
        gradients.published(neuron, X, y, filter)
