"""The page of a circuit, in a real browser: it decides as the circuit does, asks nobody, and fits a phone."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import browsing
import numpy as np
import pytest

from modn.explain.circuit import Circuit, Condition, Feature, SizePath
from modn.explain.page import render, slider

NASTY = "</script><script>alert(1)</script>"
FEATURES = (
    Feature("petal length (cm)"),
    Feature("unused"),
    Feature(f"'\"<b>{NASTY}"),
    Feature("colour", ("red", "<i>blue</i>", "it's")),
)


def circuit() -> Circuit:
    dendrites = (
        (Condition(0, ">=", 2.45), Condition(2, "<", -1.0)),
        (Condition(3, "is", "<i>blue</i>"),),
        (Condition(3, "is not", "red"), Condition(0, "<", 5.0)),
        (Condition(1, ">=", 0.0),),  # which no class counts
        (),
    )
    weights = np.array([[2, 0, 0], [0, 3, 0], [0, 3, 2], [0, 0, 0], [2, 0, 2]])
    return Circuit(
        FEATURES,
        np.array(["setosa", "a & b", NASTY]),
        dendrites,
        weights,
        np.array([0, 2, 0]),
    )


def measured() -> Circuit:
    """With what learning would add: the rules' worth and the path of sizes."""
    sizes = np.arange(1, 9)
    path = SizePath(sizes, 0.9 - 0.3 / sizes, np.full(8, 0.02), chosen=4, neuron=0.91)
    X = np.array(
        [[1.0, 0.0, -2.0, "red"], [3.0, 0.0, -2.0, "red"], [3.0, 0.0, 0.0, "<i>blue</i>"]], dtype=object
    )
    return replace(circuit(), path=path).measured(X, ["setosa", "setosa", "a & b"])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "circuit.html"
    file.write_text(render(measured(), f"Flowers {NASTY}"), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing.started(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture
def tab(browser: Any, address: str) -> Any:
    for log in ("browser", "performance"):
        browser.get_log(log)
    size = {"width": 1100, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)
    return browser


def enter(tab: Any, place: str, value: str) -> None:
    """Set an input as a user would: its value, and the event that follows."""
    tab.execute_script(
        "const input = document.querySelector(arguments[0]); input.value = arguments[1];"
        "input.dispatchEvent(new Event('input', { bubbles: true }))",
        place,
        value,
    )


def shown(tab: Any) -> dict[str, Any]:
    return tab.execute_script("""
      const parts = (part) => [...document.querySelectorAll(`:is(g, tr)[data-part=${part}].on`)];
      const lit = (part) => [...new Set(parts(part).map((one) => Number(one.dataset.index)))].sort();
      return {
        decision: document.querySelector("#decision").value,
        scores: [...document.querySelectorAll(".score")].map((text) => Number(text.textContent)),
        dendrites: lit("dendrite"), conditions: lit("condition"), classes: lit("class"),
      }""")


@pytest.mark.slow
def test_inputs_decide_as_the_circuit(tab: Any) -> None:
    model = circuit()
    decisions = set()
    for colour, code in {"red": "0", "<i>blue</i>": "1", "it's": "2", "purple": "other", None: ""}.items():
        enter(tab, "select", code)
        for length in ("1", "2.45", "4.99", "5", ""):
            enter(tab, "[data-feature='0']", length)
            for third in ("-1.5", "-1", ""):
                enter(tab, "[data-feature='2']", third)
                numbers = [float(text) if text else None for text in (length, third)]
                X = np.array([[numbers[0], None, numbers[1], colour]], dtype=object)
                page, held = shown(tab), model.dendrites_hold(X)[0]
                assert page["decision"] == model.predict(X)[0]
                assert page["scores"] == model.scores(X)[0].tolist()
                assert page["dendrites"] == [j for j in (0, 1, 2, 4) if held[j]]
                assert page["classes"] == [model.scores(X)[0].argmax()]
                decisions.add(page["decision"])
    assert decisions == set(model.classes)


def test_a_slider_moves_the_decision(tab: Any) -> None:
    """By the keyboard, step by step."""
    enter(tab, "select", "2")
    enter(tab, "[data-feature='2']", "-2")
    enter(tab, "#input-0", "2.44")
    before = shown(tab)
    tab.find_element("css selector", "#input-0").send_keys("\ue014" * 2)  # arrow right
    number = float(tab.execute_script("return document.querySelector('[data-feature=\"0\"]').value"))
    after = shown(tab)
    assert number >= 2.45 and before["conditions"] == [1, 3, 4] and after["conditions"] == [0, 1, 3, 4]
    for value, page in ((2.44, before), (number, after)):
        assert page["decision"] == circuit().predict(np.array([[value, None, -2.0, "it's"]], dtype=object))[0]
    assert before["decision"] != after["decision"]


def test_texts_are_shown_as_texts(tab: Any) -> None:
    assert tab.title == f"Flowers {NASTY}"
    assert tab.execute_script("return document.scripts.length") == 1
    assert tab.execute_script("return document.querySelectorAll('b, i').length") == 0
    rows = tab.execute_script(
        "return [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)"
    )
    assert len(rows) == 4 and any("colour is <i>blue</i>" in row for row in rows)
    assert any(NASTY in row for row in rows)


def test_what_was_measured_is_shown(tab: Any) -> None:
    cells = tab.execute_script(
        "return [...document.querySelectorAll('tbody tr:first-child .right')].map((td) => td.textContent)"
    )
    held = measured().evidence
    assert held is not None
    assert cells == ["1", *(f"{column[0]:.3f}" for column in (held.support, held.precision, held.worth))]
    assert (
        "Measured on 3 samples, by default those of training, where the accuracy is 1.000."
        in tab.find_element("css selector", "#rules").text
    )
    dots = "return [...document.querySelectorAll('#path circle')].map((dot) => Number(dot.getAttribute('r')))"
    assert tab.execute_script(dots) == [6.0 if n == 4 else 3.5 for n in range(1, 9)]
    assert "the dashed line the neuron" in tab.find_element("css selector", "#path").text


def test_no_errors_and_no_requests(tab: Any, address: str) -> None:
    assert tab.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in tab.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    asked = {params["request"]["url"] for params in sent if params["documentURL"] == address}
    assert address in asked and all(url == address or url.startswith("data:") for url in asked)
    tab.execute_script(
        "document.body.append(Object.assign(new Image(), { src: 'https://example.org/a.png' }))"
    )
    assert any("Content Security Policy" in entry["message"] for entry in tab.get_log("browser"))


@pytest.mark.parametrize("width", [390, 1100])
def test_it_fits_the_screen(tab: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    tab.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert tab.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    narrow = "return [...document.querySelectorAll('input, select')].map((one) => one.clientWidth)"
    assert min(tab.execute_script(narrow)) >= 80


def test_dark_is_dark(tab: Any) -> None:
    colours = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        tab.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        colours.append(tab.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"]


def test_sliders_hold_every_threshold_inside() -> None:
    for thresholds in ([2.45], [0.0], [-3.0, 800.5], [1e300], [1e-200], [-1e308, 1e308]):
        low, high, step, start = slider(thresholds)
        assert np.isfinite([low, high, step, start]).all() and low <= start <= high and step > 0
        assert all(low < t < high for t in thresholds if abs(t) < 1e300)
    low, high, step, start = slider([2.5], np.array([1.0, 2.0, 6.0, np.nan]))
    assert low < 1 and high > 6 and start == 2.0


def test_a_circuit_without_rules_has_a_page() -> None:
    empty = Circuit((Feature("x"),), np.array([0, 1]), (), np.zeros((0, 2), int), np.zeros(2, int))
    page = render(empty)
    assert "0 conditions in 0 rules, 2 classes" in page and "Accuracy over size" not in page
