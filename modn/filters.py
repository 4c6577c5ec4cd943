"""The preference filter P, which chooses the dendrites each output listens to (Sec. III-A of the paper).

P is a Boolean matrix (M, C): dendrite j feeds output c where P[j, c]. Two filters are fixed beforehand:
`partition` (Eq. 6, the model MODNP) and `full` (Eq. 7, the model MODNF); MODN learns P.

>>> from modn import filters
>>> filters.dendrite_states(filters.partition(4, 2)).tolist()
['exclusive', 'exclusive', 'exclusive', 'exclusive']
"""

import numpy as np
from numpy.typing import NDArray

from modn.validation import boolean_filter, positive_integer

__all__ = ["dendrite_states", "full", "partition", "shared_out"]

DENDRITE_STATES = ("inoperative", "exclusive", "communal")


def partition(n_dendrites: int, n_classes: int) -> NDArray[np.bool_]:
    """Give each output its own group of M / C consecutive dendrites (Eq. 6).

    The paper prints the condition as C mod M = 0; the equation needs M mod C = 0.

    >>> partition(4, 2).astype(int).tolist()
    [[1, 0], [1, 0], [0, 1], [0, 1]]
    """
    M = positive_integer("n_dendrites", n_dendrites)
    C = positive_integer("n_classes", n_classes)
    if M % C:
        raise ValueError(f"n_dendrites is {M}; allowed: for a partition, a multiple of n_classes ({C})")
    return shared_out(M, C)


def shared_out(n_dendrites: int, n_classes: int) -> NDArray[np.bool_]:
    """Give each dendrite one output, in groups of nearly equal size: the partition, for any M.

    >>> shared_out(3, 2).astype(int).tolist()
    [[1, 0], [1, 0], [0, 1]]
    """
    M = positive_integer("n_dendrites", n_dendrites)
    C = positive_integer("n_classes", n_classes)
    return np.eye(C, dtype=bool)[np.arange(M) * C // M]


def full(n_dendrites: int, n_classes: int) -> NDArray[np.bool_]:
    """Let every output listen to every dendrite (Eq. 7).

    >>> full(2, 3).all()
    np.True_
    """
    M = positive_integer("n_dendrites", n_dendrites)
    C = positive_integer("n_classes", n_classes)
    return np.ones((M, C), dtype=bool)


FIXED = {"partition": partition, "full": full}  # the filters that are not learned, by name
LEARNED = "learned"
NAMES = (LEARNED, *FIXED)


def dendrite_states(P: NDArray[np.bool_]) -> NDArray[np.str_]:
    """Name the state of each dendrite: it feeds no output, exactly one, or several of them.

    >>> dendrite_states(np.array([[False, False], [True, False], [True, True]])).tolist()
    ['inoperative', 'exclusive', 'communal']
    """
    outputs_fed = boolean_filter("P", P).sum(axis=1)
    return np.array(DENDRITE_STATES)[np.minimum(outputs_fed, 2)]
