"""What others cite and find this project by: CITATION.cff, codemeta.json; and the checks of the pages."""

import importlib.util
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOI = "10.1016/j.knosys.2024.111442"


@pytest.fixture(scope="module")
def links() -> ModuleType:
    spec = importlib.util.spec_from_file_location("links", ROOT / ".ci/links.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_citation_is_valid_and_names_the_paper() -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format"]
    command += ["--default-filetype", "yaml", str(ROOT / "CITATION.cff")]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    paper = cited["preferred-citation"]
    assert (paper["journal"], paper["volume"], paper["start"], paper["year"], paper["doi"]) == (
        ("Knowledge-Based Systems", 286, "111442", 2024, DOI)
    )
    assert DOI in PROJECT["urls"]["Paper"]
    assert (cited["version"], cited["license"]) == (PROJECT["version"], PROJECT["license"])
    assert cited["keywords"] == PROJECT["keywords"]


def test_codemeta_says_what_the_project_says() -> None:
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    for name in ("name", "version", "description", "keywords"):
        assert codemeta[name] == PROJECT[name], name
    assert codemeta["license"].rpartition("/")[2] == PROJECT["license"]
    assert codemeta["runtimePlatform"] == f"Python {PROJECT['requires-python'].replace('>=', '>= ')}"
    needed = {one["name"]: one["version"] for one in codemeta["softwareRequirements"]}
    declared = [Requirement(text) for text in PROJECT["dependencies"]]
    assert needed == {requirement.name: str(requirement.specifier) for requirement in declared}
    assert codemeta["referencePublication"]["id"] == f"https://doi.org/{DOI}"


def test_all_links_lead_somewhere(links: ModuleType) -> None:
    assert links.main(ROOT) == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[a](other.md)", "other.md: there is no such file"),
        ("![a](figures/none.png)", "figures/none.png: there is no such file"),
        ("[a](page.md#nothing)", "page.md#nothing: there is no such heading"),
        ("[a](#how-to-cite-it)\n## How to cite", "#how-to-cite-it: there is no such heading"),
        ("[a](../../../etc/passwd)", "../../../etc/passwd: there is no such file"),
        ("[a](#how-to-cite-it)\n## How to `cite` it?", None),
        ("[a](#twice-1)\n## Twice\n## Twice", None),
        ("[a](https://example.org/none) [b](page.md) `[c](none.md)`\n```\n[d](none.md)\n```", None),
    ],
)
def test_links_that_lead_nowhere_are_found(
    links: ModuleType, tmp_path: Path, text: str, fault: str | None
) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert list(links.broken(page, tmp_path)) == ([] if fault is None else [fault])


def test_words_are_spelt() -> None:
    """As `make lint` does; a word that no dictionary has is listed in pyproject.toml."""
    done = subprocess.run([sys.executable, "-m", "codespell_lib"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
