"""The report's page in a real browser: it sorts, zooms, fits, is legible, and asks nobody."""

import json
from collections.abc import Iterator
from typing import Any

import browsing
import numpy as np
import pytest
from matplotlib.image import imsave

from stages.study import page

WIDE, NARROW = 1280, 400
NAMES = ["Wine", "Ecoli", "Iris", "Car 10", "Car 9", "Glass", "Seeds"]
OURS = ["0.94 (0.95)", "0.9", "", "1.0", "+0.01", "**0.95**", "-0.5"]
P_VALUES = ["1.86e-9", "0.04", "n/a", "<0.001", "1,209", "0.5", "0.05"]
UP = {
    "dataset": ["Car 9", "Car 10", "Ecoli", "Glass", "Iris", "Seeds", "Wine"],
    "ours": ["Seeds", "Car 9", "Ecoli", "Wine", "Glass", "Car 10", "Iris"],
    "p": ["Wine", "Car 10", "Ecoli", "Seeds", "Glass", "Car 9", "Iris"],
}
EMPTY_LAST = {"dataset": [], "ours": ["Iris"], "p": ["Iris"]}


def report() -> str:
    rows = [f"| {name} | {acc} | {p} |" for name, acc, p in zip(NAMES, OURS, P_VALUES, strict=True)]
    wide = [" | ".join(["", *(f"{kind}{i}" for i in range(30)), ""]) for kind in ("column ", "0.")]
    return "\n".join(
        [
            "# MODN, profile `quick`\n\n- **Run:** all, and [a link](#table-5).\n\n> A remark.\n",
            "![Accuracy of every cell](figures/accuracy.png)\n\n## Table 5\n",
            "| dataset | ours | p |\n| --- | ---: | ---: |",
            *rows,
            "\n## A wide table\n",
            f"{wide[0]}\n{'| ---: ' * 30}|\n{wide[1]}",
            "\n## Names and numbers\n",
            f"| dataset | model {'| optimizer ' * 9}|\n| --- | --- {'| ---: ' * 9}|",
            f"| Blood transfusion | MODNP {'| 0.983 ± 0.007 (0.984; -0.000) ' * 9}|",
            "\n## Claims\n\n| claim | verdict | in our runs |\n| --- | --- | --- |",
            f"| MODN is the best of the three models | **does not hold** | {'9 of 11 (not on Wine); ' * 9} |",
            "\n## Fig. 5\n\n![Loss over the iterations](figures/loss.png)\n",
            f"A long word: {'x' * 300}",
        ]
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    (folder / "figures").mkdir()
    for name in ("accuracy", "loss"):
        # Transparent but for one corner: what lies behind a figure shows through.
        picture = np.zeros((900, 1600, 4), np.uint8)
        picture[:9, :9] = (200, 0, 0, 255)
        imsave(folder / f"figures/{name}.png", picture)
    file = folder / "index.html"
    file.write_text(page.render(report(), "MODN", folder / "figures"), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing.started(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture
def tab(browser: Any, address: str) -> Any:
    """The page, freshly loaded, wide and light."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    resize(browser, WIDE)
    prefer(browser, "light")
    browser.get(address)
    return browser


def resize(tab: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    tab.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(tab: Any, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    tab.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def first_column(tab: Any) -> list[str]:
    return tab.execute_script(
        "return [...document.querySelector('table').tBodies[0].rows].map(row => row.cells[0].textContent)"
    )


def directions(tab: Any) -> list[str]:
    return tab.execute_script(
        "return [...document.querySelectorAll('table')[0].tHead.rows[0].cells].map(th => th.ariaSort)"
    )


def header(tab: Any, column: int) -> Any:
    return tab.find_element("css selector", f"table th:nth-child({column + 1}) button")


def is_zoomed(tab: Any) -> bool:
    return tab.execute_script("return document.querySelector('dialog').open")


def press(tab: Any, key: str) -> None:
    """A key, sent to whatever has the focus."""
    from selenium import webdriver

    webdriver.ActionChains(tab).send_keys(getattr(webdriver.Keys, key)).perform()


def contrast(one: list[float], other: list[float]) -> float:
    """WCAG 2's ratio of two colours' relative luminances."""

    def luminance(colour: list[float]) -> float:
        channels = np.array(colour) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast([0, 0, 0], [255, 255, 255]) == pytest.approx(21)
    assert contrast([118, 118, 118], [255, 255, 255]) == pytest.approx(4.54, abs=0.01)


def test_page_loads_without_errors_or_requests(tab: Any, address: str) -> None:
    assert tab.title == "MODN"
    loaded = "return [...document.images].filter(image => image.closest('figure')).map(i => i.naturalWidth)"
    assert tab.execute_script(loaded) == [1600, 1600]
    assert tab.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in tab.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    asked = {
        params["request"]["url"] for params in sent if params["documentURL"] == address
    }  # not the browser's own
    assert address in asked, "the log does record requests"
    assert [url for url in asked if url != address and not url.startswith("data:")] == []


def test_policy_stops_a_request(tab: Any) -> None:
    """The check above could not fail if the browser were silent about refusals."""
    tab.execute_script("document.images[0].src = 'https://example.org/a.png'")
    refusals = [entry["message"] for entry in tab.get_log("browser")]
    assert any("Content Security Policy" in message for message in refusals)


@pytest.mark.parametrize("column", range(3), ids=list(UP))
def test_header_sorts_up_then_down_then_as_written(tab: Any, column: int) -> None:
    name = list(UP)[column]
    unsorted = ["none"] * 3
    assert (first_column(tab), directions(tab)) == (NAMES, unsorted)
    header(tab, column).click()
    assert first_column(tab) == UP[name]
    assert directions(tab)[column] == "ascending"
    header(tab, column).click()
    filled = [row for row in UP[name] if row not in EMPTY_LAST[name]]
    assert first_column(tab) == [*reversed(filled), *EMPTY_LAST[name]]
    assert directions(tab)[column] == "descending"
    header(tab, column).click()
    assert (first_column(tab), directions(tab)) == (NAMES, unsorted)


def test_one_column_is_sorted_at_a_time_and_by_keyboard(tab: Any) -> None:
    header(tab, 0).click()
    press(tab, "TAB")
    press(tab, "ENTER")
    assert first_column(tab) == UP["ours"]
    assert directions(tab) == ["none", "ascending", "none"]
    press(tab, "SPACE")
    assert directions(tab) == ["none", "descending", "none"]


def test_figure_opens_in_full_size_and_closes(tab: Any) -> None:
    figure = tab.find_element("css selector", "figure .zoom")
    assert not is_zoomed(tab)
    figure.click()
    assert is_zoomed(tab)
    shown = tab.execute_script(
        "const image = document.querySelector('dialog img');"
        "return [image.width, image.naturalWidth, image.alt]"
    )
    assert shown == [1600, 1600, "Accuracy of every cell"]
    press(tab, "ESCAPE")
    assert not is_zoomed(tab)
    press(tab, "ENTER")
    assert is_zoomed(tab), "the focus is back on the figure"
    tab.find_element("css selector", "dialog").click()
    assert not is_zoomed(tab)
    tab.find_elements("css selector", "figure .zoom")[1].click()
    assert tab.find_element("css selector", "dialog img").get_attribute("alt") == "Loss over the iterations"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible(tab: Any, scheme: str) -> None:
    prefer(tab, scheme)
    found = tab.execute_script("""
        const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
        const behind = (element) => {
            for (; element; element = element.parentElement) {
                const colour = rgb(getComputedStyle(element).backgroundColor);
                if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
            }
            return null;
        };
        const texts = 'h1,h2,p,li,a,td,th,th button,code,figcaption,blockquote,strong';
        return [...document.querySelectorAll(texts)]
            .map((e) => [e.tagName, rgb(getComputedStyle(e).color).slice(0, 3), behind(e)]);
    """)
    assert {tag for tag, _, _ in found} >= {"H1", "LI", "A", "TD", "TH", "CODE", "FIGCAPTION", "BLOCKQUOTE"}
    too_faint = [(tag, ink, paper) for tag, ink, paper in found if contrast(ink, paper) < 4.5]
    assert too_faint == []
    background = found[0][2]
    assert (sum(background) < 150) == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_lie_on_white(tab: Any, scheme: str) -> None:
    prefer(tab, scheme)
    colours = tab.execute_script(
        "return [...document.querySelectorAll('img')].map(image => getComputedStyle(image).backgroundColor)"
    )
    assert set(colours) == {"rgb(255, 255, 255)"}


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_nothing_sticks_out(tab: Any, width: int) -> None:
    resize(tab, width)
    window, visible, needed = tab.execute_script(
        "const page = document.documentElement; return [innerWidth, page.clientWidth, page.scrollWidth]"
    )
    assert window == width
    assert needed == visible
    boxes = tab.execute_script(
        "return [...document.querySelectorAll('.table')].map(box => box.scrollWidth > box.clientWidth)"
    )
    assert boxes[1], "the wide table scrolls in its own box"


def test_names_stay_in_view_beside_many_numbers(tab: Any) -> None:
    resize(tab, NARROW)
    lefts = """
        const box = document.querySelector('.wide').parentElement;
        box.scrollLeft = arguments[0];
        return [...box.querySelectorAll('tbody td')].slice(0, 3)
            .map(cell => cell.getBoundingClientRect().left - box.getBoundingClientRect().left)
    """
    before, after = (tab.execute_script(lefts, by) for by in (0, 200))
    assert before[:2] == after[:2] and after[2] == before[2] - 200
    assert after[0] < after[1] < NARROW / 2, "and leave room for numbers"


def test_numbers_take_two_lines_and_fit_a_usual_screen(tab: Any) -> None:
    resize(tab, 1400)
    needed, visible, height, line = tab.execute_script("""
        const box = document.querySelector('.wide').parentElement;
        const cell = box.querySelector('td.right');
        const line = parseFloat(getComputedStyle(cell).lineHeight);
        return [box.scrollWidth, box.clientWidth, cell.clientHeight, line]
    """)
    assert needed == visible
    assert 2 * line < height < 3 * line


@pytest.mark.slow
def test_a_phone_shows_the_verdicts(tab: Any) -> None:
    resize(tab, 390)
    right = tab.execute_script(
        "return [...document.querySelectorAll('td')].find(cell => cell.textContent === 'does not hold')"
        ".getBoundingClientRect().right"
    )
    assert right < 390
