"""Parameters: the defaults are Table 2 of the paper, and values out of range are refused by name."""

import dataclasses
from typing import Any, get_type_hints

import pytest

from modn.optimizers import make, names, parameters_class

TABLE_2: dict[str, dict[str, Any]] = {
    "bp": {"learning_rate": 0.01, "iterations": 3000},
    "bbo": {
        "modification": 1,
        "immigration_lower": 0,
        "immigration_upper": 1,
        "step_size": 1,
        "max_immigration": 1,
        "max_emigration": 1,
        "mutation": 0.1,
        "population": 100,
    },
    "ga": {"crossover": 1, "mutation": 0.01, "population": 100},
    "pso": {"inertia": 1, "cognitive": 0.3, "social": 0.3, "population": 200},
    "pbil": {
        "learning_rate": 0.05,
        "negative_learning_rate": 0.05,
        "best_count": 1,
        "bad_count": 0,
        "population": 200,
    },
    "es": {"sigma": 1, "children": 10, "population": 250},
}

# What Table 2 is silent about, as the authors' public code has it.
AUTHORS_BBO = {"variant": "continuous", "blend": 0.9, "sigma": 0.02, "kept": 0.2}


@pytest.mark.parametrize("name", TABLE_2)
def test_defaults_are_those_of_table_2(name: str) -> None:
    optimizer = make(name)
    assert {field: getattr(optimizer, field) for field in TABLE_2[name]} == TABLE_2[name]


def test_bbo_defaults_are_those_of_the_authors_code() -> None:
    optimizer = make("bbo")
    assert {field: getattr(optimizer, field) for field in AUTHORS_BBO} == AUTHORS_BBO


@pytest.mark.parametrize("name", names())
def test_the_budget_of_a_heuristic_is_the_datasets_own_by_default(name: str) -> None:
    assert (make(name).iterations is None) == (not make(name).uses_gradient)


@pytest.mark.parametrize("name", names())
def test_fields_are_plain_types_with_defaults(name: str) -> None:
    cls = parameters_class(name)
    hints = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        assert hints[field.name] in (int, float, bool, str, int | None)
        assert field.default is not dataclasses.MISSING


BAD = [
    *[(name, {"population": value}) for name in names() for value in (0, -5, 2.5, "9", True, None)],
    *[(name, {"iterations": value}) for name in names() for value in (-1, 1.5)],
    *[
        ("bbo", {field: value})
        for field in ("mutation", "modification", "blend")
        for value in (-0.1, 1.1, "x")
    ],
    ("bbo", {"max_emigration": 0}),
    ("bbo", {"max_immigration": 2}),
    ("bbo", {"sigma": float("nan")}),
    ("bbo", {"kept": 0}),
    ("bbo", {"kept": 1}),
    ("bbo", {"variant": "discrete"}),
    ("bbo", {"immigration_lower": 0.8, "immigration_upper": 0.5}),
    ("bbo", {"step_size": -1}),
    ("bbo", {"variant": "simon", "elites": 100}),
    ("bbo", {"population": 1}),
    ("ga", {"crossover": 1.5}),
    ("ga", {"mutation": -0.01}),
    ("ga", {"bits": 0}),
    ("ga", {"bits": 25}),
    ("ga", {"selection": "rank"}),
    ("ga", {"cuts": 0}),
    ("ga", {"population": 2, "elites": 2}),  # no place for a child
    ("pso", {"inertia": -1}),
    ("pso", {"velocity_clamp": 0}),
    ("pso", {"clip": 1}),
    ("pbil", {"learning_rate": 1.5}),
    ("pbil", {"negative_learning_rate": -0.1}),
    ("pbil", {"best_count": 201}),
    ("pbil", {"bad_count": -1}),
    ("pbil", {"code": "binary"}),
    ("pbil", {"spread": 0}),
    ("pbil", {"bits": 40}),
    ("pbil", {"elites": 200}),
    ("es", {"children": 0}),
    ("es", {"sigma": 0}),
    ("es", {"factor": 0.9}),
    ("bp", {"learning_rate": 0}),
    ("adam", {"learning_rate": float("inf")}),
    ("adam", {"beta1": 1}),
    ("adam", {"epsilon": 0}),
    ("de", {"population": 3}),  # a mutant of rand/1 has three parents beside its own
    ("de", {"strategy": "best/1"}),
    ("de", {"scale": 0}),
    ("de", {"scale": 2.1}),
    ("de", {"crossover": 1.1}),
    ("de", {"best_share": 0}),
    ("de", {"clip": "yes"}),
    ("lshade", {"population": 3}),
    ("lshade", {"final_population": 3}),
    ("lshade", {"final_population": 101}),
    ("lshade", {"memory": 0}),
    ("lshade", {"best_share": 1.5}),
    ("lshade", {"archive_ratio": -1}),
    ("lshade", {"clip": 0}),
    ("cmaes", {"population": 3}),
    ("cmaes", {"sigma": 0}),
    ("cmaes", {"growth": 0}),
]


@pytest.mark.parametrize(("name", "parameters"), BAD, ids=lambda value: str(value).replace(" ", ""))
def test_values_out_of_range_are_refused_by_name(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=rf"{name}: \w+ is .*; allowed: ") as refusal:
        make(name, **parameters)
    named = str(refusal.value).removeprefix(f"{name}: ").split(" is ")[0]
    assert named in parameters or named == "elites"
