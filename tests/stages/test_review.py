"""The pull request's comment: what changed is in it, what did not is not, what is amiss is said."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from copies import FEW, ROOT, Project

from stages.tools import review


def branch_off(project: Project) -> Project:
    """On a new branch, beside `main`."""
    project.succeed("git", "branch", "--move", "main")
    project.succeed("git", "checkout", "--quiet", "-b", "change")
    return project


def comment(project: Project, *arguments: str) -> str:
    done = project.stage("tools.review", *arguments)
    assert done.returncode == 0, done.stdout
    return done.stdout


def section(text: str, name: str) -> str:
    return text.partition(f"### {name}\n")[2].partition("\n### ")[0]


@pytest.mark.slow
def test_changed_alpha_s_and_its_metrics_are_in_the_comment(project: Project) -> None:
    branch_off(project).experiment("alpha_s=5")
    project.commit("Softer synapses")
    text = comment(project, "base=main")
    assert "| `alpha_s` | 10 | 5 |" in section(text, "Parameters")
    assert "derived" not in text
    rows = re.findall(
        r"^\| `(\S*modnf-\S+)` \| (\S+) \| (\S+) \| (\S+) \|$", section(text, "Metrics"), re.MULTILINE
    )
    assert rows
    for name, old, new, change in rows:
        assert float(new) - float(old) == pytest.approx(float(change), abs=1e-4), name
    sizes = [abs(float(change)) for *_, change in rows]
    assert sizes == sorted(sizes, reverse=True)
    summary = text.partition("### Parameters")[0]
    first_line = (project.root / "reports/quick/report.md").read_text().splitlines()[2]
    assert first_line.startswith("- **Run:**")
    assert first_line in summary
    assert "out of date" not in summary
    figures = re.findall(r"!\[[^\]]+\]\((\S+)\)", section(text, "Figures"))
    assert figures
    assert all((project.root / figure).is_file() for figure in figures)
    assert text.count("![") == len(figures), "each figure once"

    there = Project(project.root.parent / "clone", project.site_cache)
    project.succeed("git", "clone", "--quiet", str(project.root), str(there.root))
    linked = comment(there, "base=origin/main", "links=https://example.org/raw/abc/")
    relative = linked.replace("https://example.org/raw/abc/", "").replace("origin/main", "main")
    assert relative == text, "a fresh clone, which lacks the data between the stages, says the same"
    assert linked.count("(https://example.org/raw/abc/reports/quick/figures/") == len(figures)


@pytest.mark.slow
def test_nothing_changed_is_said_whatever_the_base_did_since(project: Project) -> None:
    branch_off(project)
    parameters = project.root / "params.yaml"
    project.succeed("git", "checkout", "--quiet", "main")
    parameters.write_text(parameters.read_text().replace("alpha_t: 1.0\ndend", "alpha_t: 2.0\ndend"))
    project.commit("Meanwhile")
    project.succeed("git", "checkout", "--quiet", "change")
    text = comment(project, "base=main")
    assert section(text, "Parameters").strip() == "No parameter changed."
    assert section(text, "Metrics").strip() == "No metric changed."
    assert "out of date" not in text


@pytest.mark.slow
def test_report_older_than_its_parameters_is_out_of_date(project: Project) -> None:
    branch_off(project).succeed("python", "-m", "stages.tools.params", *FEW, "alpha_s=5")
    project.commit("Forgot to run")
    text = comment(project, "base=main")
    assert "> **This report is out of date:** `derived.sha256`, `derived.values`" in text
    assert "| `alpha_s` | 10 | 5 |" in text
    assert "No metric changed." in text


@pytest.mark.slow
def test_base_without_a_report_is_said(project: Project) -> None:
    text = comment(branch_off(project), "base=main~1")
    assert section(text, "Metrics").strip() == "`main~1` has no report of this profile to compare with."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["base=nowhere"], "base=nowhere: git knows no such revision; allowed: a branch, a tag or a commit"),
        (["base=--all"], "base=--all: git knows no such revision"),
        ([], "base=... is missing"),
        (["base="], "base=... is missing"),
        (["bass=main"], "there is no argument 'bass'; allowed:\nbase=..."),
        (["base=HEAD"], "reports/quick/report.md is missing; `dvc repro` writes it"),
    ],
)
def test_what_is_wrong_is_said_in_one_message(sources: Project, arguments: list[str], message: str) -> None:
    done = sources.stage("tools.review", *arguments)
    assert done.returncode == 1
    assert done.stdout.startswith(f"review: {message}")
    assert "Traceback" not in done.stdout


def test_without_git_there_is_nothing_to_compare_with(fresh: Project) -> None:
    shutil.rmtree(fresh.root / ".git")
    done = fresh.stage("tools.review", "base=main")
    assert done.returncode == 1
    assert "is not in a git repository" in done.stdout
    assert "Traceback" not in done.stdout


def test_unrelated_histories_have_nothing_in_common(fresh: Project) -> None:
    elsewhere = fresh.succeed("git", "rev-parse", "HEAD").strip()
    fresh.succeed("git", "checkout", "--quiet", "--orphan", "island")
    fresh.commit("Another beginning")
    done = fresh.stage("tools.review", f"base={elsewhere}")
    assert done.returncode == 1
    assert "no commit in common" in done.stdout


def test_summary_is_the_opening_without_title_and_figures() -> None:
    report = """# MODN

- See [Table 3](#table-3), [numbers](tables/table3.csv), [the paper](https://example.org).

![All](figures/all.png)

*All of it*

*Not a caption.*

- More.

## Table 3

Below.
"""
    assert review._summary(report, "reports/quick") == (
        "- See [Table 3](reports/quick/report.md#table-3), [numbers](reports/quick/tables/table3.csv), "
        "[the paper](https://example.org).\n\n*Not a caption.*\n\n- More."
    )


def test_derived_parameters_are_shown_only_when_alone() -> None:
    change = {"old": 1, "new": 2}
    both = review._parameters({"params.yaml": {"derived.budgets.iris": change, "seed": change}}, "main")
    assert "seed" in both
    assert "derived" not in both
    assert "derived.budgets.iris" in review._parameters(
        {"params.yaml": {"derived.budgets.iris": change}}, "main"
    )


def test_long_tables_are_folded_and_bounded() -> None:
    def changes(count: int) -> dict[str, dict[str, float]]:
        return {
            f"cell{i}": {"old": 0.5, "new": 0.5 + i / 1000, "diff": i / 1000} for i in range(1, count + 1)
        }

    assert "<details>" not in review._metrics(changes(review.OPEN_ROWS), "main")
    folded = review._metrics(changes(review.OPEN_ROWS + 1), "main")
    assert folded.startswith("<details>\n<summary>Metrics changed: 13, most of all cell13</summary>\n\n|")
    many = review._metrics(changes(1000), "main")
    assert many.count("| `cell") == review.MOST_ROWS
    assert f"the {review.MOST_ROWS} largest changes" in many
    assert "`cell1000`" in many
    assert len(many) < 65_536


def test_new_and_removed_values_leave_a_cell_empty() -> None:
    table = review._metrics({"a": {"old": None, "new": 0.5}, "b": {"old": 0.25, "new": None}}, "main")
    assert "| `a` |  | 0.5 |  |" in table
    assert "| `b` | 0.25 |  |  |" in table


def test_absent_data_is_no_sign_of_an_old_report_but_changed_code_is() -> None:
    absent = {
        "train@a": [
            {"changed deps": {"data/splits": "deleted"}},
            {"changed outs": {"data/models": "not in cache"}},
        ]
    }
    assert review._warnings(absent) == []
    changed = {
        "train@a": [
            {"changed deps": {"modn/kernels.py": "modified", "params.yaml": {"alpha_s": "modified"}}}
        ],
        "plot": ["changed command"],
    }
    (warning,) = review._warnings(changed)
    assert "`alpha_s`, `changed command`, `modn/kernels.py` changed" in warning


def test_report_s_own_figures_keep_their_order() -> None:
    text = review._figures("![B](figures/b.png)\n![A](figures/a.png)\n![B](figures/b.png)", "x")
    assert re.findall(r"\((\S+)\)", text) == ["x/figures/b.png", "x/figures/a.png"]
    assert review._figures("none", "x") == "The report has no figures."


def test_the_module_says_how_it_is_called(sources: Project) -> None:
    done = sources.stage("tools.review", "--help")
    assert done.returncode == 0
    assert review.USAGE in done.stdout


def steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text())["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_only_what_is_pinned_and_parses(workflow: Path) -> None:
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        else:
            subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)
            assert "${{" not in step["run"], "values come by environment, where they cannot become commands"


@pytest.mark.parametrize(
    ("outcome", "words"), [("success", "Everything runs"), ("failure", "**It failed:**")]
)
def test_workflow_completes_the_comment(tmp_path: Path, outcome: str, words: str) -> None:
    (script,) = [
        s["run"]
        for s in steps(ROOT / ".github/workflows/report.yml")
        if s.get("name") == "Complete the comment"
    ]
    (tmp_path / "comment.md").write_text("Compared.\n")
    environment = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "OUTCOME": outcome,
        "ARTIFACT": "https://example.org/artifact?a=100%25",
        "RUN": "https://example.org/run",
    }
    subprocess.run(["bash", "-e", "-c", script], env=environment, check=True)
    text = (tmp_path / "comment.md").read_text()
    assert text.startswith("Compared.\n\n### Smoke run\n\n" + words)
    assert environment["ARTIFACT" if outcome == "success" else "RUN"] in text
    assert (tmp_path / "summary.md").read_text() == text
