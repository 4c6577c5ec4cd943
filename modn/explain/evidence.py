"""What each rule of a circuit does on samples: how often it holds, how often it is right, its worth."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modn.explain.circuit import Circuit, Evidence, class_codes
from modn.explain.circuit_text import premise
from modn.extras import needs


def evidence(circuit: Circuit, X: ArrayLike, y: ArrayLike) -> Evidence:
    """Measure the rules on samples with known classes."""
    codes = class_codes(circuit.classes, y)
    held = circuit.dendrites_hold(X)
    if len(held) != len(codes) or len(codes) == 0:
        raise ValueError(
            f"y has {len(codes)} labels; allowed: one for each of the {len(held)} samples, at least 1"
        )
    added = held[:, :, None] * circuit.weights  # (N, M, C)
    scores = added.sum(axis=1) - circuit.theta_t
    accuracy = float(np.mean(scores.argmax(axis=1) == codes))
    without = (scores[:, None, :] - added).argmax(axis=2) == codes[:, None]
    raised = circuit.raises[:, codes].T  # (N, M) whether a rule speaks for the sample's class
    n_held = held.sum(axis=0)
    return Evidence(
        n_samples=len(codes),
        accuracy=accuracy,
        support=held.mean(axis=0),
        precision=np.where(n_held > 0, (held & raised).sum(axis=0) / np.maximum(n_held, 1), np.nan),
        worth=accuracy - without.mean(axis=0),
        spread=np.array(
            [
                np.nan if feature.categories is not None or np.isnan(column).all() else np.nanstd(column)
                for feature, column in zip(circuit.features, circuit.columns(X), strict=True)
            ]
        ),
    )


def rules_frame(circuit: Circuit) -> Any:
    """A data frame with a row for each rule; NaN where nothing was measured."""
    with needs("cli"):
        import pandas as pd

    M = len(circuit.dendrites)
    measured = circuit.evidence
    unknown = np.full(M, np.nan)
    return pd.DataFrame(
        {
            "rule": np.arange(1, M + 1),
            "conditions": [premise(circuit, j) for j in range(M)],
            "classes": [tuple(circuit.classes[row].tolist()) for row in circuit.raises],
            "support": unknown if measured is None else measured.support,
            "precision": unknown if measured is None else measured.precision,
            "worth": unknown if measured is None else measured.worth,
        }
    )
