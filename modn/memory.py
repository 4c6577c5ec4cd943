"""The memory that a training needs at least: one that cannot fit the machine is refused before it starts."""

import os

NUMBER = 8  # bytes
COPIES = 2  # of a population: parents and offspring, or points and gradients


def training_bytes(n_inputs: int, n_dendrites: int, n_outputs: int, individuals: int) -> int:
    """The memory for `individuals` neurons that are trained at the same time."""
    return COPIES * NUMBER * individuals * n_dendrites * (2 * n_inputs + n_outputs)


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
