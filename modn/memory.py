"""The memory that a training needs at least: one that cannot fit the machine is refused before it starts."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modn.methods import Method

NUMBER = 8  # bytes
COPIES = 2  # of a population: parents and offspring
COPIES_OF_DESCENTS = 6  # points, the best of them, gradients, their two averages, and steps


def training_bytes(method: "Method", n_inputs: int, n_dendrites: int, n_outputs: int) -> int:
    """The memory for the neurons that a method trains at the same time."""
    copies = COPIES_OF_DESCENTS if method.uses_gradient else COPIES
    return copies * NUMBER * method.individuals(n_inputs) * n_dendrites * (2 * n_inputs + n_outputs)


def check_room(what: str, needed: int) -> None:
    """Refuse what needs more bytes than the machine has; where that is unknown, nothing is refused."""
    there = machine_bytes()
    if there is not None and needed > there:
        raise ValueError(
            f"{what} needs {needed / 2**30:,.0f} GiB of memory; allowed: {there / 2**30:,.0f} GiB, "
            "which this machine has"
        )


def machine_bytes() -> int | None:
    """The machine's memory."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # such as Windows
        return None
