"""docs/speed.md has the numbers of docs/assets/benchmarks.json, which names its machine and versions."""

import copy

import pytest

from benchmarks import speed_page


def test_the_page_has_the_measurements_of_the_file() -> None:
    """If not: `make benchmarks` writes both."""
    page = speed_page.PAGE.read_text(encoding="utf-8")
    assert speed_page.block(speed_page.read()) in page
    assert speed_page.updated(page, speed_page.read()) == page
    assert speed_page.GROWTH.stat().st_size > 1000


def test_other_measurements_give_another_page() -> None:
    results = speed_page.read()
    page = speed_page.PAGE.read_text(encoding="utf-8")
    for part in ("objective", "training", "optimizers", "classifiers"):
        other = copy.deepcopy(results)
        if part == "objective":
            other[part]["geometric_mean"]["numpy / modn"] *= 2
        else:
            numbers = [key for key, value in other[part]["rows"][-1].items() if isinstance(value, float)]
            other[part]["rows"][-1] |= {key: 3 * other[part]["rows"][-1][key] for key in numbers}
        assert speed_page.updated(page, other) != page, part


def test_machine_versions_and_every_contender_are_named() -> None:
    results = speed_page.read()
    machine = results["machine"]
    assert machine["processor"] and machine["cores"] >= 1 and machine["python"].startswith("3.")
    assert {"numpy", "numba", "jax", "mealpy", "pymoo", "evosax", "lightgbm"} <= set(machine["versions"])
    assert {"numpy / modn", "jax / modn", "modn / c"} <= set(results["objective"]["geometric_mean"])
    assert len(results["objective"]["tables"]) == 11
    assert {row["axis"] for row in results["objective"]["growth"]} == set(speed_page.AXES)
    libraries = {row["theirs"].split()[0] for row in results["training"]["rows"]}
    assert {"mealpy", "pymoo", "evosax"} <= libraries
    assert {"MODN", "LightGBM"} <= {row["classifier"] for row in results["classifiers"]["rows"]}


def test_ratios_of_classifiers_are_geometric_means_of_the_datasets() -> None:
    rows = [
        ("MODN", "a", 1.0, 100.0),
        ("MODN", "b", 4.0, 100.0),
        ("kNN", "a", 2.0, 50.0),
        ("kNN", "b", 1.0, 800.0),
    ]
    keys = ("classifier", "dataset", "fit_seconds", "rows_per_second")
    found = {"shapes": {"a": "", "b": ""}, "rows": [dict(zip(keys, row, strict=True)) for row in rows]}
    text = speed_page._classifiers(found)
    assert "| MODN | 2.00 | 1.00x | 100 | 1.00x |" in text
    assert "| kNN | 1.41 | 1.41x | 200 | 2.00x |" in text


def test_the_growth_is_drawn_with_a_line_for_each_size() -> None:
    growth = [{"axis": axis, "x1": 1.0, "x2": 2.0, "x4": 4.1, "x8": 8.3} for axis in speed_page.AXES]
    (axes,) = speed_page.draw_growth(growth).axes
    assert len(axes.lines) == 1 + len(growth)
    assert axes.lines[1].get_ydata()[-1] == pytest.approx(8.3)
