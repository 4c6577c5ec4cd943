"""Hash the sources that trainings and fits import: python -m stages.tools.sources.

Each of these stages depends on a file of data/sources, which names all modules of the project that it imports
and their hashes. So dvc.lock does not list them for every stage; DVC writes all of dvc.lock after each one.
"""

import argparse
from collections.abc import Iterable, Iterator
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
    families = _closures_of(sources.registered(FAMILIES))
    optimizers = _closures_of(sources.registered(OPTIMIZERS))
    for stage, common in _closures_of(["stages.train", "stages.tune"]).items():
        for family, own in families.items():
            for optimizer, others in optimizers.items():
                yield f"{stage}/{family}-{optimizer}", common | own | others
    yield "arena", sources.closure(["stages.arena"], {FAMILIES: {f"{FAMILIES}.modn"}})  # its only family
    yield "fit", sources.closure(["stages.fit"])
    yield "fit-modn", sources.closure(["stages.fit", *sources.registered(ESTIMATORS)])


def _closures_of(modules: Iterable[str]) -> dict[str, set[Path]]:
    """The sources of each module, by its last name; of a registry that it may choose from, none."""
    none: sources.Registries = {OPTIMIZERS: (), FAMILIES: ()}
    return {module.rpartition(".")[2]: sources.closure([module], none) for module in modules}


if __name__ == "__main__":
    main()
