"""Whatever name or type is wrong among the parameters: refused, with the key and what is allowed."""

import functools
import itertools
import typing
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from types import NoneType

import pytest
import yaml
from copies import composed

from modn import methods
from stages.config import hydra_conf, schema
from stages.config.checks import check_parameters


@functools.cache
def valid() -> dict[str, object]:
    """Every group with one member, as params.yaml has it."""
    values: dict[str, object] = yaml.safe_load(composed("optimizers=[bbo]"))
    del values["derived"]
    return values


def values_with(path: str, value: object) -> dict[str, object]:
    """Valid parameters but for one value."""
    values: dict[str, object] = deepcopy(valid())
    *above, last = path.split(".")
    node = functools.reduce(lambda node, name: node[name], above, values)
    node[last] = value
    return values


@functools.cache
def parameters() -> schema.Parameters:
    return hydra_conf.checked_values(valid())


def refused(values: dict[str, object], *expected: str) -> None:
    with pytest.raises(ValueError) as refusal, hydra_conf.plain_errors("params.yaml"):
        hydra_conf.checked_values(values)
    said = str(refusal.value).lower()  # OmegaConf names a group by its class: Split
    assert all(part.lower() in said for part in expected), said


def refused_optimizer(values: dict[str, object], *expected: str) -> None:
    """As above of an optimizer, whose values have no types in the schema."""
    with pytest.raises(ValueError) as refusal:
        check_parameters(replace(parameters(), optimizers={"bbo": values}))
    assert all(part in str(refusal.value) for part in expected), refusal.value


GROUPS = {
    "": schema.Parameters,
    "datasets.iris.": schema.Dataset,
    "datasets.iris.tuned.": schema.Tuned,
    "split.": schema.Split,
    "fetch.": schema.Fetch,
    "runtime.": schema.Runtime,
    "extra.": schema.Extra,
    "targets.": schema.Targets,
    "targets.measures.": schema.TargetMeasures,
    "only.": schema.Only,
    "sensitivity.": schema.Sensitivity,
    "figures.": schema.Figures,
}


def test_the_values_that_the_following_tests_spoil_are_valid() -> None:
    assert parameters().optimizers.keys() == {"bbo"}


@pytest.mark.parametrize("group", [*GROUPS, "models.modnf.", "optimizers.bbo."])
def test_an_unknown_key_in_any_group(group: str) -> None:
    refused(values_with(f"{group}colour", "red"), "colour", "allowed: ")


def wrong_for(kind: object) -> list[object]:
    """Values that are not of a field's type."""
    if kind is typing.Any:
        return []  # checked by name: test_size, models, optimizers
    options = typing.get_args(kind)
    wrong: list[object] = [] if NoneType in options else [None]
    kinds = set(options) - {NoneType} if NoneType in options else {kind}
    if kinds == {bool}:
        return [*wrong, "perhaps"]
    if kinds & {int, float}:
        return [*wrong, "many", True]
    if kinds == {str}:
        return [*wrong, ["a"]]
    return [*wrong, 5]  # lists, mappings, groups


def wrong_types() -> Iterator[tuple[str, object]]:
    """Of each type all wrong values for its first field, and for the others one, in turn."""
    turns: dict[object, Iterator[object]] = {}
    for group, cls in GROUPS.items():
        for name, kind in typing.get_type_hints(cls).items():
            path, wrong = f"{group}{name}", wrong_for(kind)
            if path != "derived" and wrong:
                first = kind not in turns
                turn = turns.setdefault(kind, itertools.cycle(wrong))
                yield from ((path, next(turn)) for _ in (wrong if first else [0]))


@pytest.mark.parametrize(("path", "wrong"), list(wrong_types()))
def test_a_wrong_type_anywhere(path: str, wrong: object) -> None:
    refused(values_with(path, wrong), path.rpartition(".")[2])


@pytest.mark.parametrize("wrong", [None, 5, "bbo", ["bbo"], {}, {"algorithm": 5}])
def test_an_optimizer_that_is_no_optimizer(wrong: object) -> None:
    refused(values_with("optimizers.bbo", wrong), "optimizers.bbo")


@pytest.mark.parametrize("path", ["sensitivity.dendrites", "figures.filters", "datasets.iris.drop_columns"])
def test_a_list_in_a_list(path: str) -> None:
    refused(values_with(path, [[]]), path, "allowed")


@pytest.mark.parametrize("number", [None, "abc", True, float("inf"), float("nan"), [1]])
def test_a_code_that_is_no_number(number: object) -> None:
    refused(values_with("datasets.iris.codes", {"a": {"x": number}}), "codes.a.x is", "a finite number")


@pytest.mark.parametrize(
    "wrong", [None, 5, "modn", ["modn"], {}, {"family": 5}, {"title": 5, "family": "modn"}]
)
def test_a_model_that_is_no_model(wrong: object) -> None:
    refused(values_with("models.modnf", wrong), "models.modnf", "allowed: ")


RATES = [
    (name, parameter)
    for name in methods.solvers()
    for parameter, default in methods.parameters(name).items()
    if default is None or (isinstance(default, int | float) and not isinstance(default, bool))
]


@pytest.mark.parametrize(("algorithm", "rate"), RATES)
def test_no_rate_or_count_is_negative(algorithm: str, rate: str) -> None:
    expected = "optimizers.bbo", f"{rate} is -1", "allowed: "
    refused_optimizer({"algorithm": algorithm, rate: -1}, *expected)


@pytest.mark.parametrize("algorithm", ["bbo", "ga", "pbil"])
def test_a_population_of_one_where_several_are_needed(algorithm: str) -> None:
    expected = "population is 1", "allowed: an integer >= 2"
    refused_optimizer({"algorithm": algorithm, "population": 1}, *expected)


@pytest.mark.parametrize("part", ["first", "then"])
def test_the_parts_of_a_pair(part: str) -> None:
    for wrong, expected in ((5, f"optimizers.bbo.{part} is 5"), ({"population": -1}, "population is -1")):
        refused_optimizer({"algorithm": "bbo+adam", part: wrong}, expected, "allowed: ")
