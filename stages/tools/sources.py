"""Hash the sources that trainings and fits import: python -m stages.tools.sources.

Each of these stages depends on a file of data/sources, which names all modules of the project that it imports
and their hashes. So dvc.lock does not list them for every stage; DVC writes all of dvc.lock after each one.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from stages.io import files, sources

OPTIMIZERS, FAMILIES, ESTIMATORS = "modn.optimizers", "stages.study.families", "modn.estimators"


def main() -> None:
    """Write data/sources: for each file that dvc.yaml names, the SHA-256 of every source."""
    argparse.ArgumentParser(prog="python -m stages.tools.sources", description=__doc__).parse_args()
    with files.replaced_folder(files.SOURCES) as fresh:
        for name, imported in closures():
            files.write_json(fresh / f"{name}.json", sources.hashes(imported))


def closures() -> Iterator[tuple[str, set[Path]]]:
    """The sources of each kind of stage; of a pair of optimizers, a stage depends on the files of both."""
    for stage in ("train", "tune"):
        for family in sources.registered(FAMILIES):
            for optimizer in sources.registered(OPTIMIZERS):
                name = f"{stage}/{family.rpartition('.')[2]}-{optimizer.rpartition('.')[2]}"
                registries = {OPTIMIZERS: {optimizer}, FAMILIES: {family}}
                yield name, sources.closure([f"stages.{stage}"], registries)
    yield "arena", sources.closure(["stages.arena"], {FAMILIES: {f"{FAMILIES}.modn"}})  # its only family
    yield "fit", sources.closure(["stages.fit"])
    yield "fit-modn", sources.closure(["stages.fit", *sources.registered(ESTIMATORS)])


if __name__ == "__main__":
    main()
