"""arena: every model with every optimizer that can train it, at equal evaluations.

Run k is trained on resplit k of the baselines, so all optimizers see the same rows. Runs that are in
data/store are taken from there.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.study import families
from stages.study.cells import Cell
from stages.study.competing import compete
from stages.train import train_pair

STUDY = "arena"


def arena(parameters: Parameters) -> None:
    """Read data/resplits, write data/models/arena."""
    wanted = parameters.derived["arena"]
    parts = {name: files.read_arrays(files.resplits_of(STUDY) / f"{name}.npz") for name in wanted["datasets"]}
    folder = files.MODELS / STUDY
    folder.mkdir(parents=True, exist_ok=True)
    for pair in wanted["pairs"]:
        model, optimizer = pair.split("-")
        train_pair(
            parameters,
            (STUDY, model, optimizer),
            parts,
            wanted["runs"],
            compete,
            partial(_arguments, parameters.optimizers[optimizer], wanted),
        )


def _arguments(optimizer: families.Block, wanted: Mapping[str, Any], cell: Cell) -> tuple[Any, ...]:
    """What the runs of a cell share: the method, and what it may cost."""
    method = families.get(cell.family).method(cell.settings, optimizer)
    return method, wanted["budgets"], wanted["gradient_cost"]


if __name__ == "__main__":
    entrypoint.run("arena", __doc__, arena)
