"""The pull request's comment: the verdict comes first, what changed is in it, what did not is not."""

import os
import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from copies import Outcome, Project, copy_of
from made_up import CLAIMS, MadeUp, Numbers, made_up
from markdown_it import MarkdownIt

from stages.config import composition
from stages.io import sources as imported_sources
from stages.tools import evidence, markup
from stages.tools.review import __main__ as review_command
from stages.tools.review import comment
from stages.tools.review.figures import Links

COMMENTS = Path(__file__).with_name("comments")
LINKS = Links(f"https://example.org/raw/{'1' * 40}", f"https://example.org/raw/{'0' * 40}")
PAGES = "https://example.org/pages"
SECTIONS = ["Claims", "Metrics", "Figures", "Parameters", "Evidence", "Summary"]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    monkeypatch.setattr(evidence, "_composed", lambda profile: None)  # to compose takes half a second
    return made_up(tmp_path / "project", monkeypatch)


def review(project: MadeUp, links: Links = LINKS) -> str:
    return comment.write(comment.examine(project.root, "main"), links, PAGES)


def verdict(text: str) -> str:
    return text.split("\n\n")[1]


def section(text: str, name: str) -> str:
    return text.partition(f"### {name}\n")[2].partition("\n### ")[0].strip()


def change_nothing(project: MadeUp) -> None:
    project.write("README.md", "About this\n")
    project.commit("Say more")


def change_a_parameter(project: MadeUp) -> None:
    project.parameters(alpha_s=5.0)
    better = dict(CLAIMS)
    better["BBO is the best optimizer on most datasets (9 of 11)"] = (
        "0 of 2 (else Iris: PSO)",
        "does not hold",
    )
    project.report(
        Numbers(
            shift={"modn-bbo": -0.03},
            jitter={"modnf-pso": 0.01},
            claims=better,
            figures={"accuracy": b"other bars", "roc": b"curves"},
        )
    )
    project.commit("Softer synapses")


def change_code(project: MadeUp) -> None:
    project.write("modn/neuron.py", "import modn.dendrite\n\nEQUATIONS = 10\n")
    project.write("modn/dendrite.py", "")
    project.write("modn/aside.py", "NO_STAGE_IMPORTS_IT = True\n")
    project.report(Numbers(jitter={"modn-bbo": 0.01, "modnf-pso": 0.01}), "quick")
    project.commit("Another equation")


EXAMPLES = {"nothing": change_nothing, "parameter": change_a_parameter, "code": change_code}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_comments_are_as_kept(small: MadeUp, name: str) -> None:
    """With UPDATE_COMMENTS=1 in the environment they are written anew, to be read in the diff."""
    EXAMPLES[name](small)
    text = review(small) + "\n"
    kept = COMMENTS / f"{name}.md"
    if os.environ.get("UPDATE_COMMENTS"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")


def test_the_order_is_that_of_a_decision(small: MadeUp) -> None:
    change_a_parameter(small)
    text = review(small)
    assert text.startswith(f"{comment.MARKER}\n## Report `quick` against `main` at ")
    assert re.findall(r"^### (.*)", text, re.MULTILINE) == SECTIONS


def test_what_the_base_did_since_is_not_in_it(small: MadeUp) -> None:
    small.git("checkout", "--quiet", "main")
    change_a_parameter(small)
    small.git("checkout", "--quiet", "change")
    assert verdict(review(small)) == "**Nothing that results depend on changed; no metric changed.**"


def test_a_report_that_was_not_rerun_shows_no_effect(small: MadeUp) -> None:
    small.write("modn/neuron.py", "EQUATIONS = 10\n")
    small.commit("Forgot to run")
    text = review(small)
    assert "cannot show the effect" in verdict(text)
    assert "> **This report is out of date:** `reports/quick` was made before these changed: 1 source" in text
    small.parameters(alpha_s=5.0)
    assert "parameters. It has not been rerun since. Run `make repro`" in review(small)


def test_a_base_without_a_report_is_said(small: MadeUp) -> None:
    small.parameters(profile="mine")
    small.report(Numbers(), "mine")
    small.commit("Another profile")
    text = review(small)
    assert "**The profile (`quick` to `mine`) changed: `main` has no report of this profile" in verdict(text)
    assert section(text, "Metrics") == "`main` has no report of this profile to compare with."


def test_another_profiles_report_is_compared_as_well(small: MadeUp) -> None:
    small.report(Numbers(), "mine")
    small.commit("Two reports")
    small.git("branch", "--force", "main", "HEAD")
    small.report(Numbers(shift={"modn-bbo": 0.05}), "mine")
    small.commit("One is rerun")
    text = review(small)
    assert "Report `mine`: 2 of 6 metrics moved by more than chance (2 up, 0 down" in text
    assert "`comparison.modn-bbo.acc`" in section(text, "Report `mine`")


def test_versions_count_where_results_depend_on_them(small: MadeUp) -> None:
    lock = small.root / "requirements.lock"
    lock.write_text(lock.read_text() + "zizmor==9.9\n")
    assert verdict(review(small)).startswith("**Nothing that results depend on changed")
    lock.write_text("numpy==2.3.0\n")
    text = review(small)
    assert verdict(text).startswith("**Versions of packages (`numpy`, `pandas`) changed: ")
    assert "numpy (2.0.0 to 2.3.0). It has not been rerun since." in text


def test_few_runs_are_not_taken_for_certainty(small: MadeUp) -> None:
    small.report(Numbers(runs=2))
    small.commit("Two runs")
    small.git("branch", "--force", "main", "HEAD")
    small.report(Numbers(runs=2, shift={"modn-bbo": 0.2}))
    text = review(small)
    assert "2 of 6 metrics moved, with too few runs to tell whether by more than chance" in verdict(text)
    assert "Undecided: 2" in section(text, "Metrics")


def test_methods_of_one_side_are_named(small: MadeUp) -> None:
    path = small.root / "reports/quick/tables/runs.csv"
    path.write_text(path.read_text().replace("modnf,pso", "modnf,es"))
    found = section(review(small), "Metrics")
    assert "New: `comparison.modnf-es`." in found
    assert "No longer run: `comparison.modnf-pso`." in found


def test_one_dataset_that_moved_shows_although_the_mean_did_not(small: MadeUp) -> None:
    small.report(Numbers(runs=20))
    small.commit("Twenty runs")
    small.git("branch", "--force", "main", "HEAD")
    small.report(Numbers(runs=20, shift={"modn-bbo@iris": 0.02, "modn-bbo@car": -0.02}))
    text = review(small)
    assert "2 of 6 metrics moved, none by more than chance" in verdict(text)
    single = text.partition("Single datasets that moved by more than chance")[2].partition("</details>")[0]
    assert single.startswith(", although the mean did not: 4")
    assert "Iris +0.0" in single and "Car evaluation -0.0" in single


def test_only_figures_that_changed_are_shown_before_and_after(small: MadeUp) -> None:
    small.report(Numbers(figures={"accuracy": b"other bars", "roc": b"curves", "odd name": b"new"}))
    (small.root / "reports/quick/figures/notes.txt").write_text("no figure")
    text = section(review(small), "Figures")
    assert "Figures changed: 2" in text
    place = "reports/quick/figures"
    assert (
        f"![before]({LINKS.there}/{place}/accuracy.png) | ![after]({LINKS.here}/{place}/accuracy.png)" in text
    )
    assert f"| `odd name` | new | ![after]({LINKS.here}/{place}/odd%20name.png) |" in text
    assert "roc" not in text
    relative = section(review(small, Links()), "Figures")
    assert re.search(
        rf"`git show \w{{7}}:{place}/accuracy.png` \| !\[after\]\({place}/accuracy.png\)", relative
    )
    (small.root / f"{place}/roc.png").unlink()
    assert "no longer drawn" in section(review(small), "Figures")


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "[click](https://evil.example)",
    "</summary></details><h1>Approved</h1>",
    "<!-- modn-report -->",
    "`code` **bold** _it_ ~~gone~~",
    "a | b | c",
    "line\r\n\n# Heading\n\n- item",
    "https://evil.example www.evil.example",
    "$x$ &lt; &#60;",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_what_files_say_is_text(small: MadeUp, title: str) -> None:
    quoted = title.replace('"', '""')
    small.parameters(**{"alpha_s": title, title: 1})
    small.report(
        Numbers(
            shift={"modn-bbo": -0.03},
            titles={"iris": quoted, "car": "Car"},
            claims={next(iter(CLAIMS)): (quoted, quoted), quoted: (quoted, "holds")},
        )
    )
    text = review(small)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    inline = [child for token in tokens for child in token.children or []]
    plain = {"text", "text_special", "code_inline", "softbreak", "strong_open", "strong_close"}
    links = [child for child in inline if child.type in ("link_open", "image")]
    assert {child.type for child in inline} <= plain | {"link_open", "link_close", "image"}
    targets = [str(link.attrs.get("href", link.attrs.get("src"))) for link in links]
    assert all(target.startswith("https://example.org/") for target in targets)
    ours = r"<!-- modn-report -->|<details>\n<summary>[^<>]*</summary>|</details>"
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert all(re.fullmatch(ours, block) for block in blocks)
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert len(headings) == 7 and headings[1:] == SECTIONS
    bare = re.sub(r"`[^`]*`", "", text)
    assert "https://evil" not in bare and "www.evil" not in bare


def test_mentions_and_references_do_not_reach_anybody() -> None:
    assert "@someone" not in markup.text("thanks @someone, closes #1")
    assert "#1" not in markup.text("thanks @someone, closes #1")
    assert markup.code("`@x` | y\n") == "`'@x' \\| y`"
    assert len(markup.text("x" * 10_000)) == markup.LONGEST


def test_a_comment_is_never_too_long(small: MadeUp) -> None:
    datasets = {f"d{i}": f"A title of a dataset, number {i} " + "x" * 150 for i in range(300)}
    small.write("modn/" + "x" * 200 + ".py", "")
    small.parameters(datasets={name: {"title": title, "a": 1} for name, title in datasets.items()})
    many = {f"{i} {'claim ' * 40}": ("words " * 40, "holds") for i in range(400)}
    small.report(Numbers(claims=many, figures={f"figure{i}": b"x" for i in range(100)}))
    small.commit("Large")
    small.git("branch", "--force", "main", "HEAD")
    small.parameters(datasets={name: {"title": title + "!", "a": 2} for name, title in datasets.items()})
    many = {claim: (ours, "does not hold") for claim, (ours, _) in many.items()}
    small.report(Numbers(claims=many, figures={f"figure{i}": b"y" for i in range(100)}))
    text = review(small)
    assert len(text) < 65_536 - 1_000
    assert text.count("<details>") == text.count("</details>")
    assert "400 claims flipped" in verdict(text)


def test_an_earlier_version_s_tables_are_not_compared(small: MadeUp) -> None:
    small.write("reports/quick/tables/runs.csv", "cell,value\na,1\n")
    small.commit("Old layout")
    small.git("branch", "--force", "main", "HEAD")
    small.report(Numbers())
    assert "`main` has no report of this profile to compare with" in review(small)


def call(monkeypatch: pytest.MonkeyPatch, project: Project, *arguments: str) -> None:
    """What `python -m stages.tools.review` does in a project, in this process."""
    monkeypatch.setattr(composition, "ROOT", project.root)
    monkeypatch.setattr(imported_sources, "ROOT", project.root)
    monkeypatch.setattr(sys, "argv", ["review", *arguments])
    review_command.main()


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], project: Project, *arguments: str
) -> str:
    """The comment."""
    call(monkeypatch, project, *arguments)
    return capsys.readouterr().out


def exit_of(monkeypatch: pytest.MonkeyPatch, project: Project, *arguments: str) -> str:
    """The message of an error, which Python prints, with the exit code 1."""
    with pytest.raises(SystemExit) as end:
        call(monkeypatch, project, *arguments)
    return str(end.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["base=nowhere"], "base=nowhere: git knows no such revision; allowed: a branch, a tag or a commit"),
        (["base=--all"], "base=--all: git knows no such revision"),
        ([], "base=... is missing"),
        (["base="], "base=... is missing"),
        (["bass=main"], "there is no argument 'bass'; allowed: base, links"),
        (["base=HEAD"], "reports/quick/report.md is missing; `dvc repro` writes it"),
    ],
)
@pytest.mark.slow
def test_what_is_wrong_is_said_in_one_message(
    sources: Project, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exit_of(monkeypatch, sources, *arguments).startswith(f"review: {message}")


@pytest.mark.slow
def test_without_git_there_is_nothing_to_compare_with(
    fresh: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(fresh.root / ".git")
    assert "is not in a git repository" in exit_of(monkeypatch, fresh, "base=main")


@pytest.mark.slow
def test_unrelated_histories_have_nothing_in_common(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = fresh.succeed("git", "rev-parse", "HEAD").strip()
    fresh.succeed("git", "checkout", "--quiet", "--orphan", "island")
    fresh.commit("Another beginning")
    assert "no commit in common" in exit_of(monkeypatch, fresh, f"base={elsewhere}")


def test_the_module_says_how_it_is_called(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["review", "--help"])
    with pytest.raises(SystemExit, match="0"):
        review_command.main()
    assert "python -m stages.tools.review base=main [links=" in capsys.readouterr().out


@pytest.mark.slow
def test_a_real_change_of_alpha_s(
    softened: tuple[Project, Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As a command; a clone's comment is written in this process."""
    project = copy_of(softened[0], tmp_path)
    project.succeed("git", "branch", "--move", "main")
    project.succeed("git", "checkout", "--quiet", "-b", "change")
    project.commit("Softer synapses")
    done = project.stage("tools.review", "base=main")
    assert done.returncode == 0, done.stdout
    text = done.stdout
    assert verdict(text).startswith("**`alpha_s` (`10` to `5`) changed: ")
    assert "derived" not in text
    assert "metrics moved" in verdict(text)
    assert "`reports/quick` was made by this code, with these parameters and package versions." in text
    assert "out of date" not in text
    clone = Project(project.root.parent / "clone", project.site_cache)
    project.succeed("git", "clone", "--quiet", str(project.root), str(clone.root))
    there = run(monkeypatch, capsys, clone, "base=origin/main")
    assert there.replace("origin/main", "main") == text, "a clone, which lacks the data, says the same"


@pytest.mark.slow
def test_a_report_older_than_its_parameters_is_out_of_date(
    project: Project,
    softened: tuple[Project, Outcome],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.succeed("git", "branch", "--move", "main")
    project.succeed("git", "checkout", "--quiet", "-b", "change")
    shutil.copy(softened[0].root / "params.yaml", project.root)
    project.commit("Forgot to run")
    text = run(monkeypatch, capsys, project, "base=main")
    assert (
        "> **This report is out of date:** `reports/quick` was made before these changed: parameters." in text
    )
    assert "cannot show the effect" in verdict(text)


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("reports/quick/tables/runs.csv", b"a,b\n1,2\n", "reports/quick/tables/runs.csv has no column"),
        ("reports/quick/tables/claims.csv", b"\xff\xfe\x00", "reports/quick/tables/claims.csv is damaged"),
        ("reports/quick/summary.json", b"{", "reports/quick/summary.json is damaged"),
        ("reports/quick/provenance.json", b"[]", "reports/quick/provenance.json is damaged"),
        ("params.yaml", b"- 1", "params.yaml is damaged"),
        ("params.yaml", b"profile: ../x", "params.yaml: profile is '../x'"),
    ],
)
def test_damaged_files_are_named(small: MadeUp, path: str, content: bytes, message: str) -> None:
    small.write(path, content)
    with pytest.raises(Exception, match=re.escape(message)) as error:
        review(small)
    assert type(error.value).__name__ == "StageError"
