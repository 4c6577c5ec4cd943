"""resplit: make the stratified splits that all baselines share, by the protocol `sound`."""

from stages.config.schema import Parameters, Split
from stages.io import entrypoint, files
from stages.split import write_parts


def resplit(parameters: Parameters) -> None:
    """Read data/tables, write data/resplits, laid out as data/splits."""
    choice = Split(protocol="sound", seed=parameters.seed, count=parameters.resplits)
    write_parts("resplit", parameters.derived["test_sizes"], choice, files.RESPLITS)


if __name__ == "__main__":
    entrypoint.run("resplit", __doc__, resplit)
