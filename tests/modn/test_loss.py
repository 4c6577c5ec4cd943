"""The cross-entropy of Eq. 10."""

import math

import numpy as np
import pytest

from modn.loss import binary_cross_entropy, cross_entropy


def test_cross_entropy_is_the_mean_surprise_of_the_true_classes() -> None:
    proba = [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]
    assert cross_entropy(proba, [1, 2]) == pytest.approx(-(math.log(0.25) + math.log(0.7)) / 2)


def test_binary_cross_entropy_is_that_of_the_sigmoid() -> None:
    u, y = np.array([-2.0, 0.0, 3.0]), np.array([1, 0, 1])
    one = 1 / (1 + np.exp(-u))
    assert binary_cross_entropy(u, y) == pytest.approx(cross_entropy(np.stack([1 - one, one], axis=1), y))


def test_binary_cross_entropy_of_a_certain_error_is_finite() -> None:
    assert binary_cross_entropy([1000.0, -1000.0], [0, 1]) == pytest.approx(1000.0)


@pytest.mark.parametrize("y", [[0, 3], [-1, 0], [0.0, 1.0], [0], [[0, 1]]])
def test_labels_are_class_indices(y: list[int]) -> None:
    with pytest.raises(ValueError, match="y must"):
        cross_entropy(np.full((2, 3), 1 / 3), y)
