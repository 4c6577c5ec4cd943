"""The best w_t and theta_t for given counts of dendrites: the loss is convex in them."""

import numpy as np

from modn.explain.learning.fast_boxes import Floats, derivatives, loss


def fit_telodendra(
    counts: Floats, targets: Floats, weights: Floats, w_t: Floats, theta_t: Floats, iterations: int
) -> float:
    """Improve w_t and theta_t (C,) in place by Newton steps, at most so many; returns the loss."""
    C = len(w_t)
    value = loss(counts, targets, weights, w_t, theta_t)
    for _ in range(iterations):
        step = np.linalg.solve(*derivatives(counts, targets, weights, w_t, theta_t)[::-1])
        length, before = 1.0, value
        while length > 1e-3:
            moved_w, moved_theta = w_t - length * step[:C], theta_t - length * step[C:]
            found = loss(counts, targets, weights, moved_w, moved_theta)
            if found < value:
                w_t[:], theta_t[:], value = moved_w, moved_theta, found
                break
            length /= 2
        if before - value < 1e-6:
            break
    return float(value)
