"""The site: it builds without a warning, asks nobody, and its neuron computes what `modn.Neuron` does."""

import functools
import html
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import browsing
import numpy as np
import pytest
from sharing import made_once

import modn

pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")

from website import links, reference

ROOT = Path(__file__).resolve().parents[1]


def test_links_lead_to_where_files_are_on_the_site() -> None:
    page = "[a](study.md#x) [b](../modn/neuron.py) [c](https://x.org) ![d](../reports/quick/figures/roc.png)"
    assert links.relative(page, "docs/faq.md") == (
        "[a](study.md#x) [b](source/modn/neuron.py.md) [c](https://x.org) ![d](reports/quick/figures/roc.png)"
    )
    report = "![e](figures/roc.png) [f](../../README.md) [g](../../modn/optimizers)"
    assert links.relative(report, "reports/quick/report.md") == (
        "![e](quick/figures/roc.png) [f](../index.md) [g](../source/modn/optimizers/index.md)"
    )
    code = "```md\n[a](../x.py)\n```\n"
    assert links.relative(code, "docs/faq.md") == code and links.targets(code, "docs/faq.md") == []
    assert links.targets(page, "docs/faq.md")[:2] == ["docs/study.md", "modn/neuron.py"]


def test_a_folder_lists_its_files() -> None:
    page = links.source_page("modn/optimizers")
    assert "- [`pso.py`](pso.py.md)" in page and "- [`core/`](core/index.md)" in page
    assert "__pycache__" not in page


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest) -> Path:
    """As `make docs` builds it."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
        environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return made_once(request, "site", build)


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in ("img", "script", "iframe", "source") and "src" in values:
            self.loaded.append(values["src"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.append(values["href"])


class TestSite:
    pytestmark = pytest.mark.slow

    def test_all_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(self, site: Path) -> None:
        found = {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}
        pages = {f"/{name.removesuffix('index.html')}": found[name] for name in found if name != "404.html"}
        assert len(pages) > 50
        broken = []
        for address, page in pages.items():
            assert [url for url in page.loaded if "//" in url and not url.startswith("data:")] == []
            for link in page.links + page.loaded:
                if urlsplit(link).scheme in ("http", "https", "data", "javascript", "mailto"):
                    continue
                path, anchor = urldefrag(urljoin(address, link))
                there = site / unquote(path).lstrip("/")
                exists = (there / "index.html").exists() if path.endswith("/") else there.exists()
                known = not anchor or anchor in pages[path].anchors or anchor == "__top"
                if not (exists and known):
                    broken.append((address, link))
        assert broken == []
        for style in site.rglob("*.css"):
            assert "url(http" not in style.read_text(encoding="utf-8")

    def test_every_public_name_is_in_the_reference(self, site: Path) -> None:
        for module, names in reference.public().items():
            text = (site / "reference" / module / "index.html").read_text(encoding="utf-8")
            for name in names:
                assert f"{module}.{name}" in text, name

    def test_the_home_page_has_the_example_of_the_readme(self, site: Path) -> None:
        text = (site / "index.html").read_text(encoding="utf-8")
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        (score, *_) = re.findall(r"virginica \+\d", readme)
        assert score in text and text.count("MODNClassifier") >= 2
        assert {"quickstart/", "tour/"} <= set(Page(site / "index.html").links)

    def test_the_reports_are_part_of_it(self, site: Path) -> None:
        for profile in ("quick", "paper"):
            figures = len(list(ROOT.glob(f"reports/{profile}/figures/*.png")))
            page = Page(site / "reports" / profile / "index.html")
            shown = [url for url in page.loaded if url.startswith("figures/")]
            assert len(shown) == figures > 5
            assert f"../../sortable/{profile}/" in page.links

    def test_the_tour_is_shown_with_its_outputs(self, site: Path) -> None:
        page = (site / "tour" / "index.html").read_text(encoding="utf-8")
        assert page.count("<img") == 2
        for picture in ("tour_neuron.png", "tour_circuit.png"):
            assert (site / "examples" / picture).stat().st_size > 10_000
        text = html.unescape(re.sub("<[^>]+>", "", page))
        unseen, circuit = (
            re.search(rf"{words}: ([\d.]+)", text) for words in ("it has not seen", "on the test part")
        )
        assert unseen is not None and float(unseen[1]) > 0.94
        assert circuit is not None and float(circuit[1]) > 0.9
        printed = text.split("accuracy of the circuit on the test part: 0")[0]
        rules = re.findall(r"^\d\. (.*): (?:benign|malignant) [+-]\d", printed, re.MULTILINE)
        assert len(rules) > 1 and sum(rule.count(" and ") + 1 for rule in rules) == 5, "five conditions"
        assert "\nTrue\n" in text and "def neuron(" in text, "read from its file, it predicts the same"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site, served."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing.started(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


def show(browser: Any, address: str, width: int = 1400, scheme: str = "light") -> None:
    """Open a page, as wide and as bright as asked."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)


def move(browser: Any, place: int, value: float) -> None:
    """Move a slider as a user would: its value, and the event that follows."""
    browser.execute_script(
        "const slider = document.querySelectorAll('#neuron input')[arguments[0]];"
        "slider.value = arguments[1];"
        "slider.dispatchEvent(new Event('input', { bubbles: true }))",
        place,
        value,
    )


class TestInABrowser:
    pytestmark = pytest.mark.slow

    def test_the_neuron_computes_what_the_library_does(self, browser: Any, address: str) -> None:
        show(browser, f"{address}/model/")
        data = json.loads(browser.execute_script("return document.querySelector('#neuron-data').textContent"))
        arrays = [data[name] for name in ("w_s", "theta_s", "P", "w_t", "theta_t", "alpha_s", "alpha_t")]
        neuron = modn.Neuron(*arrays)
        low, high = np.array(data["low"]), np.array(data["high"])
        winners = set()
        for values in [*data["examples"], low.tolist(), high.tolist(), [6.1, 2.9, 4.9, 1.7]]:
            for place, value in enumerate(values):
                move(browser, place, value)
            shown = browser.execute_script("return document.querySelector('#neuron').read()")
            X = [(np.array(values) - low) / (high - low)]
            layers = {
                "Y": neuron.synapses,
                "Z": neuron.dendrites,
                "V": neuron.soma,
                "R": neuron.telodendra,
                "O": neuron.predict_proba,
            }
            for name, layer in layers.items():
                np.testing.assert_allclose(shown[name], layer(X)[0].ravel(), rtol=1e-12, err_msg=name)
            winner = data["classes"][int(np.argmax(shown["O"]))]
            told = browser.find_element("css selector", "#neuron [aria-live]").text
            assert told.endswith(f"The highest is that of {winner}.")
            winners.add(winner)
        assert winners == set(data["classes"])

    def test_a_button_and_the_keyboard_move_the_sliders(self, browser: Any, address: str) -> None:
        show(browser, f"{address}/model/")
        outputs = "return document.querySelector('#neuron').read().O"
        before = browser.execute_script(outputs)
        browser.find_elements("css selector", "#neuron button")[2].click()
        after = browser.execute_script(outputs)
        assert np.argmax(before) == 0 and np.argmax(after) == 2
        browser.find_elements("css selector", "#neuron input")[3].send_keys("\ue012" * 8)  # arrow left
        assert browser.execute_script(outputs)[2] < after[2]

    @pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
    def test_pages_fit_and_follow_the_scheme(
        self, browser: Any, address: str, width: int, scheme: str
    ) -> None:
        for page in ("", "quickstart/", "model/", "tour/", "reports/paper/", "reference/modn/", "faq/"):
            show(browser, f"{address}/{page}", width, scheme)
            needed, visible, paper, ink = browser.execute_script(
                "const page = document.documentElement, style = getComputedStyle(document.body);"
                "return [page.scrollWidth, page.clientWidth, style.backgroundColor,"
                " getComputedStyle(document.querySelector('.md-typeset')).color]"
            )
            assert needed <= visible, page
            dark = [
                sum(map(float, colour[colour.index("(") + 1 : -1].split(",")[:3])) for colour in (paper, ink)
            ]
            assert (dark[0] < 200) == (scheme == "dark"), page

    def test_everything_of_the_neuron_is_seen(self, browser: Any, address: str) -> None:
        show(browser, f"{address}/model/", 1400)
        needed, visible = browser.execute_script(
            "const box = document.querySelector('#neuron .drawing');return [box.scrollWidth, box.clientWidth]"
        )
        assert needed == visible

    def test_the_search_finds_a_page(self, browser: Any, address: str) -> None:
        show(browser, address)
        browser.execute_script("document.querySelector('[data-md-toggle=search]').click()")
        browser.find_element("css selector", ".md-search__input").send_keys("telodendron")
        from selenium.webdriver.support.ui import WebDriverWait

        found = WebDriverWait(browser, 20).until(
            lambda tab: tab.execute_script(
                "return [...document.querySelectorAll('.md-search-result__link')].map(link => link.pathname)"
            )
        )
        assert "/glossary/" in found

    def test_no_errors_and_no_requests_to_others(self, browser: Any, address: str) -> None:
        for log in ("browser", "performance"):
            browser.get_log(log)
        show(browser, f"{address}/model/")
        assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
        messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        ours = [url for url in sent if url.startswith((address, "data:", "blob:"))]
        assert len(ours) > 3 and ours == [url for url in sent if not url.startswith("chrome")]
