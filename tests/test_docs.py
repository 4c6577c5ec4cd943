"""The pages: what they name exists, their code runs, their numbers are those of reports/paper in git."""

import json
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from website import outputs, quotes

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
REPORT = ROOT / "reports" / "paper"
PRINTED = ROOT / "data" / "raw" / "paper"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        assert "://" in link or (page.parent / link).exists(), link
    made = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    for path in re.findall(r"`((?:modn|stages|conf|tests|data|docs|reports)/[\w./]+)`", text):
        assert (ROOT / path).exists() or f"/{path}" in made, path
    for module in re.findall(r"python -m ((?:stages|benchmarks)[\w.]+)", " ".join(text.split())):
        path = ROOT / module.replace(".", "/")
        found = path.with_suffix(".py").exists() or (path / "__main__.py").exists()
        assert found or page.name == "CHANGELOG.md", module
    for target in re.findall(r"`make ([a-z-]+)", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), target


def test_the_code_of_the_pages_prints_what_they_say(printed: dict[str, list[str]]) -> None:
    """If not: `make outputs`."""
    for page in outputs.pages():
        assert outputs.updated(page, printed[page]) == outputs.text(page)


def test_code_that_is_not_run_is_in_few_pages() -> None:
    assert len(outputs.pages()) >= 8
    assert set(outputs.FRAGMENTS) <= {page.relative_to(ROOT).as_posix() for page in PAGES}


def test_outputs_follow_their_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = "```python\nx = 1\nprint(x)\n```\n\n```text\nold\n```\n\n```python\nprint(x + 1)\n```\n"
    monkeypatch.setattr(outputs, "text", lambda _: page)
    scripts = {"page.md": outputs.blocks("page.md"), "other.md": ["import json\nprint('x' in vars())\n"]}
    found = outputs.printed(scripts, tmp_path / "first")
    assert (tmp_path / "first/page.md/data/raw").is_dir()
    assert found == {"page.md": ["1\n", "2\n"], "other.md": ["False\n"]}
    assert outputs.updated("page.md", found["page.md"]) == page.replace("old", "1")
    with pytest.raises(RuntimeError, match=r"NameError(.|\n)*page\.md failed"):
        outputs.printed({"page.md": ["x = y"]}, tmp_path / "second")


def committed(path: str) -> str:
    """As git has it: a run of another kind may have left its own report in the folder."""
    shown = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=ROOT, capture_output=True, text=True)
    return shown.stdout if shown.returncode == 0 else (ROOT / path).read_text(encoding="utf-8")


def test_the_time_it_took_is_the_reports() -> None:
    found = re.search(r"took (\d+) minutes on two cores for profile `paper`", outputs.text("docs/study.md"))
    assert found is not None
    made = json.loads(committed("reports/paper/provenance.json"))
    assert int(found[1]) == round(made["wall_seconds"] / 60) and made["cores"] == 2


def test_every_folder_of_the_layout_is_there() -> None:
    layout = re.search(r"```\n(.*?)```", outputs.text("docs/layout.md"), flags=re.DOTALL)
    assert layout is not None
    above = ""
    listed = set()
    for line in layout[1].splitlines():
        name = line.split()[0]
        above = above if line.startswith(" ") else name
        path = above + name if line.startswith(" ") else name
        assert (ROOT / path).exists(), path
        listed.add(path)
    folders = [path for path in (*ROOT.glob("[a-z]*/"), *ROOT.glob("modn/*/"), *ROOT.glob("stages/*/"))]
    made = ("__pycache__", "build", "dist")
    tracked = [path for path in folders if any(path.rglob("*.py")) and path.name not in made]
    assert {f"{path.relative_to(ROOT)}/" for path in tracked} <= listed


def test_the_glossary_defines_each_word_once() -> None:
    words = re.findall(r"^\| (?!word)([\w ]+) \|", outputs.text("docs/glossary.md"), flags=re.MULTILINE)
    assert len(words) == len(set(words))
    assert {"dataset", "run", "cell", "study", "profile", "protocol", "model", "optimizer", "method"} < set(
        words
    )
    assert {"baseline", "filter P", "dendrite", "synapse", "telodendron", "circuit"} < set(words)
    assert {"MODN", "MODNP", "MODNF", "DNM"} < set(words)


def table(page: str, header: str) -> list[list[str]]:
    """The rows below a header, cell by cell."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(re.escape(header) + r".*\n\|[-: |]+\|\n((?:\|.*\|\n)+)", text)
    assert found is not None, header
    return [[cell.strip(" *") for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


@pytest.mark.parametrize("page", quotes.pages(), ids=lambda page: page.name)
def test_what_a_page_quotes_is_what_the_report_says(page: Path) -> None:
    """If not: `make quotes`."""
    text = page.read_text(encoding="utf-8")
    assert quotes.updated(text) == text
    assert text.count("<!-- paper: ") == text.count("<!-- /paper -->") == len(quotes.BLOCK.findall(text))


def test_every_quotation_is_in_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in quotes.pages())
    assert {block["name"] for block in quotes.BLOCK.finditer(text)} == set(quotes.QUOTES)


@pytest.mark.parametrize("name", quotes.QUOTES)
def test_a_report_of_this_code_can_be_quoted(name: str) -> None:
    """That of quick has the form of the next report of profile paper, but for what quick leaves out."""
    before = f"<!-- paper: {name} -->\nold\n<!-- /paper -->\n"
    report = ROOT / "reports" / "quick"
    try:
        after = quotes.updated(before, report)
    except quotes.Missing:
        report = REPORT
        after = quotes.updated(before, report)
    first, *lines, last = after.splitlines()
    assert [first, last] == ["<!-- paper: " + name + " -->", "<!-- /paper -->"] and "old" not in lines
    assert lines and quotes.updated(after, report) == after
    if lines[0].startswith("|"):
        (width,) = {line.count("|") for line in lines}
        assert width >= 4 and len(lines) >= 2 + 2


def test_what_a_report_lacks_cannot_be_quoted(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("# MODN\n")
    for name in ("arena", "arena_answer"):
        with pytest.raises(quotes.Missing, match=r"has no (table|section)"):
            quotes.QUOTES[name](tmp_path)


@pytest.mark.parametrize(
    ("page", "header"),
    [
        ("reproduction.md", "| optimizer | cells | mean absolute difference |"),
        ("reproduction.md", "| claim |"),
        ("training.md", "| classifier | parameters | mean ACC |"),
    ],
)
def test_tables_of_the_report_are_quoted_as_they_are(page: str, header: str) -> None:
    rows = table(page, header)
    text = (REPORT / "report.md").read_text(encoding="utf-8").replace("*", "")
    whole = re.search(re.escape(header) + r".*\n((?:\|.*\|\n)+)", text)
    assert whole is not None
    lines = whole[1].splitlines()[1:]
    assert len(rows) == len(lines) >= 7
    for row, line in zip(rows, lines, strict=True):
        assert line.startswith("| " + " | ".join(row)), row


def means(name: str, **chosen: str) -> "pd.Series[float]":
    """Mean accuracy by title of the dataset."""
    frame = pd.read_csv(REPORT / "tables" / f"{name}.csv")
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame.set_index("title")["acc_mean"]


def test_the_two_protocols_stand_side_by_side() -> None:
    published = means("table3", model="modn", optimizer="adam")
    sound = means("baselines", baseline="modn", search="default")
    rows = table("reproduction.md", "| dataset | published | sound | difference |")
    assert [row[0] for row in rows] == list(published.index)
    for title, *numbers in rows:
        one, two = published[title], sound[title]
        assert numbers == [f"{one:.3f}", f"{two:.3f}", f"{two - one:+.3f}"], title


def test_the_best_printed_values_stand_beside_ours() -> None:
    printed = pd.concat(
        pd.read_csv(PRINTED / name) for name in ("table3_acc_by_optimizer.csv", "table5_comparison.csv")
    )
    best = printed.groupby("dataset")["acc"].max()
    slugs = pd.read_csv(REPORT / "tables" / "table1.csv").set_index("title")["dataset"]
    ours = [means("table3", model="modn", optimizer=name) for name in ("adam", "bbo_adam", "bbo")]
    rows = table("training.md", "| dataset | MODN, Adam |")
    assert [row[0] for row in rows] == list(slugs.index)
    for title, *numbers in rows:
        expected = [*(mean[title] for mean in ours), best[slugs[title]]]
        assert numbers == [f"{number:.4f}" for number in expected], title
