"""One worker or two give the same bytes: the tasks of every stage, by workers that are started once."""

import shutil

import pytest
from copies import Place, contents, pairs

from stages.arena import arena
from stages.config.schema import Parameters
from stages.fetch import fetch
from stages.fit import fit
from stages.resplit import resplit
from stages.split import split
from stages.train import train
from stages.tune import tune

FEW = (
    *("profile=smoke", "datasets=[caesarian]", "datasets/targets=[slump]", "targets.resplits=2"),
    *("baselines=[modn,logistic_regression]", "predictors=[modn_adam,random_forest]"),
    *("circuits.datasets=[caesarian]", "circuits.sizes=[1,3]", "readable.tree.grid.max_leaf_nodes=[4]"),
    *("tuned.values=ours", "tune.trials=2", "tune.repeats=1", "tuned.methods.modn=[bbo]"),
    *("arena.datasets=[caesarian]", "arena.models=[modnp]", "arena.optimizers=[bbo,bp]"),
    *("arena.budgets=[200,400]", *pairs({"modnf": "bbo"}, {"modn": "bbo"})),
)


def results(place: Place, parameters: Parameters) -> dict[str, bytes]:
    """What the stages whose tasks workers do write."""
    shutil.rmtree(place.root / "data/models", ignore_errors=True)
    tune(parameters, "modn", "bbo")
    train(parameters, "comparison", "modnf", "bbo")
    train(parameters, "retuned", "modn", "bbo")
    for item in parameters.derived["fits"].values():
        fit(parameters, item["study"], item["baseline"])
    arena(parameters)
    return contents(place.root, "data/models")


@pytest.mark.slow
def test_the_number_of_workers_and_the_store_change_no_byte(place: Place) -> None:
    parameters = place.parameters(*FEW)
    fetch(parameters)
    split(parameters)
    resplit(parameters)
    one = results(place, parameters)
    assert results(place, parameters) == one  # from the store
    place.forget()
    parameters.runtime.workers = 2
    assert results(place, parameters) == one
