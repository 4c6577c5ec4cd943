"""The interactive neuron: its parameters, for docs/assets/neuron.js."""

import json
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import modn

MARK = "<!-- the interactive neuron -->"
ALPHA_S, ALPHA_T = 10.0, 1.0
N_DENDRITES = 6


def insert(markdown: str) -> str:
    """The page with the neuron at its mark."""
    if MARK not in markdown:
        return markdown
    data = json.dumps(parameters()).replace("</", "<\\/")
    return markdown.replace(
        MARK, f'<div id="neuron"></div>\n<script type="application/json" id="neuron-data">{data}</script>\n'
    )


@cache
def parameters() -> dict[str, Any]:
    """A neuron of six dendrites that tells the three irises apart, and what its inputs mean."""
    iris = load_iris()
    X, y = iris.data, iris.target
    low, high = X.min(axis=0), X.max(axis=0)
    objective = modn.Objective((X - low) / (high - low), y, N_DENDRITES, 3, ALPHA_S, ALPHA_T)
    trained = modn.train(objective, random_state=0)
    assert trained.P is not None
    neuron = modn.Neuron.from_parameters(trained.parameters, trained.P, X.shape[1], ALPHA_S, ALPHA_T)
    return {
        **{name: getattr(neuron, name).tolist() for name in ("w_s", "theta_s", "w_t", "theta_t")},
        "P": neuron.P.tolist(),
        "alpha_s": ALPHA_S,
        "alpha_t": ALPHA_T,
        "features": iris.feature_names,
        "low": low.tolist(),
        "high": high.tolist(),
        "classes": iris.target_names.tolist(),
        "examples": [np.median(X[y == c], axis=0).round(1).tolist() for c in range(3)],
    }
