"""Problems with known optima: every optimizer reaches its stated target from every seed.

Population and budget are the defaults (400 iterations, BP: 3000). The targets differ widely, as they should:
they record what these algorithms are at the paper's settings. The best of 80,000 random samples reaches about
6 on the sphere, 9 on Rastrigin, 7 on one-max and 0.51 on XOR (constant outputs: log 2 = 0.69; the best
possible: 0.127). As the paper runs it, PBIL is no better than that on real variables, nor is GA on XOR - the
paper's Table 3 says so too; the same code with better settings is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from modn.fast.objective import Objective
from modn.filters import partition
from modn.neuron import Neuron
from modn.optimizers import Minimum, Space, make, minimize, names

pytestmark = pytest.mark.slow

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
NEURON = Objective(CORNERS, XOR, n_dendrites=20, n_classes=2, alpha_s=10.0, alpha_t=1.0)
P = partition(20, 2)


def sphere(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (x**2).sum(axis=1), 2 * x


def ellipsoid(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weights = np.logspace(0, 6, x.shape[1])
    return (weights * x**2).sum(axis=1), 2 * weights * x


def rosenbrock(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    valley, slope = x[:, 1:] - x[:, :-1] ** 2, np.zeros_like(x)
    slope[:, 1:] = 200 * valley
    slope[:, :-1] += 2 * (x[:, :-1] - 1) - 400 * x[:, :-1] * valley
    return (100 * valley**2 + (1 - x[:, :-1]) ** 2).sum(axis=1), slope


def rastrigin(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    costs = 10 * x.shape[1] + (x**2 - 10 * np.cos(2 * np.pi * x)).sum(axis=1)
    return costs, 2 * x + 20 * np.pi * np.sin(2 * np.pi * x)


def one_max(x: np.ndarray) -> tuple[np.ndarray, None]:
    return (~x).sum(axis=1).astype(float), None


def xor_neuron(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return NEURON.loss_and_gradient(x, P)


# No box is symmetric about its optimum, so that nothing is found by staying in the middle.
PROBLEMS: dict[str, tuple[Space, Callable[[np.ndarray], Any]]] = {
    "sphere": (Space.box(np.full(10, -5.0), np.full(10, 4.0)), sphere),
    "rastrigin": (Space.box(np.full(5, -5.12), np.full(5, 4.0)), rastrigin),
    "one-max": (Space.bits(40), one_max),
    "xor": (Space.box(np.r_[np.full(80, -1.0), np.zeros(4)], np.ones(84)), xor_neuron),
}

# Here the constant step of BP diverges.
VALLEYS: dict[str, tuple[Space, Callable[[np.ndarray], Any]]] = {
    "ellipsoid": (Space.box(np.full(10, -5.0), np.full(10, 4.0)), ellipsoid),
    "rosenbrock": (Space.box(np.full(4, -2.0), np.full(4, 2.5)), rosenbrock),
}

DEFAULTS: dict[str, dict[str, float]] = {
    # on XOR one search in twenty ends in a local minimum between 0.25 and 0.32
    "bbo": {
        "sphere": 1e-6,
        "ellipsoid": 1e-3,
        "rosenbrock": 1.0,
        "rastrigin": 2.0,
        "one-max": 0,
        "xor": 0.33,
    },
    "ga": {
        "sphere": 0.05,
        "ellipsoid": 0.5,
        "rosenbrock": 2.0,
        "rastrigin": 1.5,
        "one-max": 0,
        "xor": 0.60,
    },
    "pso": {"sphere": 1.0, "rosenbrock": 2.0, "rastrigin": 7.0, "one-max": 6, "xor": 0.45},
    "pbil": {"sphere": 10.0, "rosenbrock": 4.0, "rastrigin": 15.0, "one-max": 0, "xor": 0.50},
    "es": {"sphere": 1.0, "rosenbrock": 2.0, "rastrigin": 2.0, "one-max": 0, "xor": 0.55},
    # on Rastrigin a descent ends in some local minimum
    "bp": {"sphere": 1e-12, "rastrigin": 65.0, "xor": 0.65},
    "adam": {"sphere": 1e-9, "ellipsoid": 1e-9, "rosenbrock": 5.0, "rastrigin": 70.0, "xor": 0.30},
    "de": {
        "sphere": 1e-20,
        "ellipsoid": 1e-18,
        "rosenbrock": 1e-18,
        "rastrigin": 6.0,
        "one-max": 0,
        "xor": 0.33,
    },
    "lshade": {
        "sphere": 1e-12,
        "ellipsoid": 1e-8,
        "rosenbrock": 1e-15,
        "rastrigin": 1e-6,
        "one-max": 0,
        "xor": 0.33,
    },
    # Separable: it does not learn the direction of Rosenbrock's valley. Small steps: few see beyond a hill.
    "cmaes": {
        "sphere": 1e-20,
        "ellipsoid": 1e-20,
        "rosenbrock": 5.0,
        "rastrigin": 8.0,
        "one-max": 0,
        "xor": 0.33,
    },
    "random_search": {"sphere": 12.0, "rosenbrock": 5.0, "rastrigin": 15.0, "one-max": 9, "xor": 0.58},
}

BETTER_SETTINGS: list[tuple[str, dict[str, Any], dict[str, float]]] = [
    ("bbo", {"variant": "simon"}, {"sphere": 0.01, "rastrigin": 0.2, "one-max": 0, "xor": 0.18}),
    (
        "ga",
        {"selection": "tournament", "elites": 2},
        {"sphere": 1e-4, "rastrigin": 4.5, "one-max": 0, "xor": 0.20},
    ),
    # Inertia and pulls in the stable region (Trelea, Information Processing Letters 85, 2003).
    (
        "pso",
        {"inertia": 0.7, "cognitive": 1.5, "social": 1.5},
        {"sphere": 1e-12, "rastrigin": 1e-9, "one-max": 4, "xor": 0.45},
    ),
    (
        "de",
        {"strategy": "rand/1", "scale": 0.5},
        {"sphere": 1e-12, "ellipsoid": 1e-10, "rastrigin": 1e-6, "one-max": 0},
    ),
    ("cmaes", {"sigma": 0.3}, {"sphere": 1e-20, "rastrigin": 1.0, "one-max": 0}),
    ("pbil", {"code": "gray"}, {"sphere": 0.01, "rastrigin": 4.5, "one-max": 0, "xor": 0.32}),
    ("adam", {"population": 20}, {"sphere": 1e-9, "rastrigin": 26.0, "xor": 0.13}),
]


def search(name: str, parameters: dict[str, Any], problem: str, seed: int) -> Minimum:
    optimizer = make(name, **parameters)
    space, both = (PROBLEMS | VALLEYS)[problem]

    def cost(candidates: np.ndarray) -> Any:
        if optimizer.uses_gradient:
            return both(candidates)
        return NEURON.loss(candidates, P) if problem == "xor" else both(candidates)[0]

    budget = 400 if optimizer.iterations is None else optimizer.iterations
    return minimize(optimizer, space, cost, budget, np.random.default_rng(seed))


def is_better_than_the_best_of_its_first_draw(found: Minimum) -> bool:
    return found.best_cost < found.curve[0]


@pytest.mark.parametrize(
    ("name", "problem"),
    [(name, problem) for name in names() for problem in PROBLEMS if problem not in DEFAULTS.get(name, ())],
)
def test_an_optimizer_without_a_target_finds_better_than_the_best_of_its_first_draw(
    name: str, problem: str
) -> None:
    if PROBLEMS[problem][0].boolean and not make(name).searches_bits:
        return
    assert is_better_than_the_best_of_its_first_draw(search(name, {}, problem, 0))


@pytest.mark.parametrize(
    ("name", "problem"), [(name, problem) for name, targets in DEFAULTS.items() for problem in targets]
)
def test_default_settings_reach_their_targets(name: str, problem: str) -> None:
    found = [search(name, {}, problem, seed) for seed in range(4)]
    costs = [each.best_cost for each in found]
    assert max(costs) <= DEFAULTS[name][problem], costs
    assert is_better_than_the_best_of_its_first_draw(found[0])


@pytest.mark.parametrize(("name", "parameters", "targets"), BETTER_SETTINGS)
def test_better_settings_reach_better_targets(
    name: str, parameters: dict[str, Any], targets: dict[str, float]
) -> None:
    for problem, target in targets.items():
        costs = [search(name, parameters, problem, seed).best_cost for seed in range(2)]
        assert max(costs) <= target, (problem, costs)


@pytest.mark.parametrize(
    ("name", "parameters", "successes"), [("bbo", {}, 8), ("adam", {"population": 20}, 10)]
)
def test_the_xor_neuron_answers_all_four_corners(
    name: str, parameters: dict[str, Any], successes: int
) -> None:
    """Few searches end in a worse minimum."""
    found = [search(name, parameters, "xor", seed) for seed in range(10)]
    neurons = [Neuron.from_parameters(each.best, P, 2, 10.0, 1.0) for each in found]
    answers = [neuron.predict_proba(CORNERS).argmax(axis=1) for neuron in neurons]
    assert sum((answer == XOR).all() for answer in answers) >= successes
    costs = [each.best_cost for each in found]
    assert sum(cost <= 0.15 for cost in costs) >= successes, costs
