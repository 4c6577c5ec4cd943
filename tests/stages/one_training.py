"""One training in the least profile, for tests of what is around trainings: the store, the cluster."""

from pathlib import Path

from copies import SMOKE, Place, contents

from stages.config.schema import Parameters
from stages.fetch import fetch
from stages.split import split

PAIR = ("comparison", "modnf", "bbo")
TRAIN = ("python", "-m", "stages.train", "study=comparison", "model=modnf", "optimizer=bbo")


def prepared(place: Place, *overrides: str) -> Parameters:
    """Its parameters, with what it needs in place."""
    parameters = place.variant(SMOKE, *overrides)
    fetch(parameters)
    split(parameters)
    return parameters


def trained(place: Place) -> dict[str, bytes]:
    """What it has written."""
    return contents(place.root, "data/models/comparison/modnf-bbo")


def entries(root: Path) -> list[Path]:
    """Its runs in the store."""
    return sorted((root / "data/store").glob("*/*"))
