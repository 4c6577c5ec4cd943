"""The examples run and print what they promise."""

import re


def check_iris_rules(text: str) -> None:
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.85
    assert re.search(r"petal length \(cm\) [<>] [\d.]+.* -> \w+", text)
    assert "Accuracy on 45 samples" in text
    assert text.endswith("the same from its file: True\n")


def check_grid_search(text: str) -> None:
    assert len(re.findall(r"\d+ dendrites: 0\.\d+ in cross-validation", text)) == 3
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.8


def check_forecast(text: str) -> None:
    scores = {
        name: [float(x) for x in re.findall(r"now\+\d +(-?[\d.]+)", line)]
        for name, line in re.findall(r"  (MODN|ridge|last value) (.*)", text)
    }
    assert all(len(of_horizons) == 4 for of_horizons in scores.values())
    assert sum(scores["MODN"]) > max(sum(scores["ridge"]), sum(scores["last value"]))
    assert re.search(r"now.* [<>] -?[\d.]+.*: adds [+-][\d.]+ to now\+1", text)


def check_tune(text: str) -> None:
    assert re.search(r"12 candidates, \d+ of them pruned", text)
    found = re.search(r"'n_dendrites': (\d+), 'alpha_s': ([\d.]+), 'alpha_t': ([\d.]+)", text)
    assert found is not None and 4 <= int(found[1]) <= 40 and 1 <= float(found[2]) <= 20
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.85


def test_the_examples_print_what_they_promise(printed: dict[str, list[str]]) -> None:
    """All but the tour, which is part of the site (test_site.py)."""
    check_iris_rules(*printed["iris_rules"])
    check_grid_search(*printed["grid_search"])
    check_forecast(*printed["forecast"])
    check_tune(*printed["tune"])
