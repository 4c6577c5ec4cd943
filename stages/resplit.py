"""resplit: make the splits that all baselines share, by the protocol `sound`."""

from stages.config.schema import Parameters, Split
from stages.io import entrypoint, files
from stages.split import write_parts


def resplit(parameters: Parameters) -> None:
    """Read data/tables, write data/resplits, data/extra and data/targets, laid out as data/splits."""
    for study, wanted in parameters.derived["resplits"].items():
        choice = Split(protocol="sound", seed=parameters.seed, count=wanted["count"])
        write_parts(
            f"resplit {study}", wanted["test_sizes"], choice, files.resplits_of(study), wanted.get("columns")
        )


if __name__ == "__main__":
    entrypoint.run("resplit", __doc__, resplit)
