"""The cross-entropy of Eq. 10."""

import math

import numpy as np
import pytest

from modn.loss import cross_entropy


def test_cross_entropy_is_the_mean_surprise_of_the_true_classes() -> None:
    proba = [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]
    assert cross_entropy(proba, [1, 2]) == pytest.approx(-(math.log(0.25) + math.log(0.7)) / 2)


@pytest.mark.parametrize("y", [[0, 3], [-1, 0], [0.0, 1.0], [0], [[0, 1]]])
def test_labels_are_class_indices(y: list[int]) -> None:
    with pytest.raises(ValueError, match=r"y.* (is|has the) .*; allowed: "):
        cross_entropy(np.full((2, 3), 1 / 3), y)
