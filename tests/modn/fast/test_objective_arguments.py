"""What the objective refuses, and how it says so."""

from typing import Any

import numpy as np
import pytest

from modn.fast.objective import Objective

GOOD: dict[str, Any] = {
    "X": np.ones((4, 2)),
    "y": [0, 1, 2, 0],
    "n_dendrites": 3,
    "n_classes": 3,
    "alpha_s": 10.0,
    "alpha_t": 1.0,
}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X": [[1.0, np.inf]] * 4}, r"X\[0, 1\] is inf; allowed: a finite number, or NaN where"),
        ({"X": [[1.0, -np.inf]] * 4}, r"X\[0, 1\] is -inf; allowed: a finite number, or NaN where"),
        ({"X": np.ones(4)}, r"X has the shape \(4,\); allowed: \(n_samples, n_features\)"),
        ({"X": np.ones((0, 2)), "y": []}, r"X has the shape \(0, 2\); allowed: \(n_samples, n_features\)"),
        ({"X": np.ones((4, 0))}, "X has the shape"),
        ({"X": [["a"]] * 4}, "X is not an array of numbers"),
        ({"y": [0, 1, 2]}, r"y has the shape \(3,\); allowed: \(4,\)"),
        ({"y": [0, 1, 2, 3]}, r"y\[3\] is 3; allowed: an integer from 0 to 2"),
        ({"y": [0, -1, 2, 0]}, r"y\[1\] is -1; allowed: an integer from 0 to 2"),
        ({"y": [0.0, 1.0, 2.0, 0.0]}, "y has the dtype float64; allowed: integers"),
        ({"y": ["a", "b", "c", "a"]}, "y has the dtype <U1; allowed: integers"),
        ({"n_dendrites": 0}, "n_dendrites is 0; allowed: an integer >= 1"),
        ({"n_dendrites": 2.5}, "n_dendrites is 2.5; allowed: an integer >= 1"),
        ({"n_classes": True}, "n_classes is True; allowed: an integer >= 1"),
        ({"alpha_s": 0}, "alpha_s is 0; allowed: a finite number > 0"),
        ({"alpha_s": np.nan}, "alpha_s is nan; allowed: a finite number > 0"),
        ({"alpha_t": -1.0}, "alpha_t is -1.0; allowed: a finite number > 0"),
        ({"alpha_t": None}, "alpha_t is None; allowed: a finite number > 0"),
        ({"alpha_t": 10**400}, "alpha_t is 10+; allowed: a finite number > 0"),
        ({"sample_weight": [1, 1, 1]}, r"sample_weight has the shape \(3,\); allowed: \(4,\)"),
        ({"sample_weight": [1, 1, 1, -1]}, r"sample_weight\[3\] is -1.0; allowed: a finite number >= 0"),
        ({"sample_weight": [0, 0, 0, 0]}, "sample_weight is zero for all samples; allowed: at least one"),
    ],
)
def test_bad_training_sets_are_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Objective(**(GOOD | changed))


@pytest.mark.parametrize(
    ("parameters", "P", "message"),
    [
        (
            np.ones((2, 17)),
            np.ones((3, 3), bool),
            r"parameters has the shape \(2, 17\); allowed: \(n_individuals, 18\)",
        ),
        (np.ones((0, 18)), np.ones((3, 3), bool), "parameters has the shape"),
        (np.ones((1, 2, 18)), np.ones((3, 3), bool), "parameters has the shape"),
        (
            np.full((2, 18), np.nan),
            np.ones((3, 3), bool),
            r"parameters\[0, 0\] is nan; allowed: a finite number",
        ),
        (np.full(18, np.inf), np.ones((3, 3), bool), r"parameters\[0, 0\] is inf; allowed: a finite number"),
        (np.full(18, "a"), np.ones((3, 3), bool), "parameters is not an array of numbers"),
        (np.ones((2, 18)), np.ones((3, 3)), "P has the dtype float64; allowed: bool"),
        (np.ones((2, 18)), np.ones((3, 3), int), "P has the dtype int64; allowed: bool"),
        (np.ones((2, 18)), np.ones((2, 3), bool), r"P has the shape \(2, 3\); allowed: \(3, 3\)"),
        (np.ones((2, 18)), np.ones((5, 3, 3), bool), r"P has the shape \(5, 3, 3\); allowed: \(2, 3, 3\)"),
        (
            np.ones(18),
            np.ones((0, 3, 3), bool),
            r"P has the shape \(0, 3, 3\); allowed: \(n_individuals, 3, 3\)",
        ),
        (np.ones(18), np.ones(3, bool), "P has the shape"),
    ],
)
@pytest.mark.parametrize("method", ["loss", "gradient", "loss_and_gradient"])
def test_bad_populations_are_named(method: str, parameters: Any, P: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(Objective(**GOOD), method)(parameters, P)


@pytest.mark.parametrize(
    ("filter", "P", "message"),
    [
        ("learned", np.ones((3, 3), bool), "filter is 'learned'; allowed: full, partition"),
        ("full", np.eye(3, dtype=bool), "P has a False; allowed: .* only True"),
        ("partition", np.ones((3, 3), bool), "P has a dendrite with .* one True per dendrite"),
        ("full", np.ones((3, 3)), "P has the dtype float64; allowed: bool"),
    ],
)
def test_published_gradients_are_for_the_fixed_filters(filter: str, P: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Objective(**GOOD).published_gradient(np.ones(18), P, filter)
