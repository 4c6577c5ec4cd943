"""The workflows: pinned, without rights they do not need, and their scripts do what they say."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MARKER = "<!-- modn-report -->"
SCRIPTS = Path(sys.executable).parent


def jobs(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())["jobs"])


def script(workflow: str, job: str, step: str) -> str:
    (found,) = [s["run"] for s in jobs(workflow)[job]["steps"] if s.get("name") == step]
    return str(found)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_only_what_is_pinned_and_parses(workflow: Path) -> None:
    for job in jobs(workflow.stem).values():
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
            else:
                subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)
                assert "${{" not in step["run"], (
                    "values come by environment, where they cannot become commands"
                )


def test_zizmor_and_the_schemas_find_nothing() -> None:
    for command in (
        ["zizmor", "--offline", "--quiet", "--persona", "pedantic", ".github"],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)],
        ["check-jsonschema", "--builtin-schema", "vendor.dependabot", ".github/dependabot.yml"],
    ):
        done = subprocess.run([SCRIPTS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_job_that_may_write_runs_nothing_of_the_pull_request(workflow: Path) -> None:
    described = yaml.safe_load(workflow.read_text())
    common = described.get("permissions")
    assert common in ({}, {"contents": "read"})
    for job in described["jobs"].values():
        if "write" in job.get("permissions", common).values():
            text = json.dumps(job)
            for word in ("checkout", "make ", "python", "pip", "uv "):
                assert word not in text


def test_only_one_workflow_comments() -> None:
    writers = [
        (path.stem, name)
        for path in WORKFLOWS
        for name, job in jobs(path.stem).items()
        if job.get("permissions", {}).get("pull-requests") == "write"
    ]
    assert writers == [("report", "comment")]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("success", "Everything runs"), ("failure", "**It failed:**"), ("skipped", "**It failed:**")],
)
def test_the_comment_is_completed_and_is_the_job_s_summary(tmp_path: Path, outcome: str, words: str) -> None:
    (tmp_path / "comment.md").write_text("Compared.\n")
    environment = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "OUTCOME": outcome,
        "ARTIFACT": "https://example.org/artifact?a=100%25",
        "RUN": "https://example.org/run",
    }
    run = script("report", "compare", "Complete the comment")
    subprocess.run(["bash", "-e", "-c", run], env=environment, check=True)
    text = (tmp_path / "comment.md").read_text()
    assert text.startswith("Compared.\n\n### Smoke run\n\n" + words)
    assert environment["ARTIFACT" if outcome == "success" else "RUN"] in text
    assert (tmp_path / "summary.md").read_text() == text


GH = """#!/bin/sh
# Records how it was called; lists comments as the code host would, by the filter that it was given.
printf '%s\\n' "$*" >> calls
case "$*" in
  *--paginate*) eval filter=\\${$#}; jq -r "$filter" comments.json ;;
esac
"""


def post(
    folder: Path, comments: list[dict[str, Any]], text: str = f"{MARKER}\nNew\n"
) -> tuple[int, list[str]]:
    """Run the posting script with a `gh` that keeps a record; its exit code and calls."""
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    (folder / "comments.json").write_text(json.dumps(comments))
    (folder / "comment.md").write_text(text)
    run = script("report", "comment", "Write or update the comment")
    tools = {str(Path(shutil.which(tool) or "").parent) for tool in ("jq", "sed", "bash")}
    environment = {
        "PATH": ":".join([str(folder), *sorted(tools)]),
        "GITHUB_REPOSITORY": "owner/name",
        "NUMBER": "7",
        "GH_TOKEN": "none",
    }
    done = subprocess.run(["bash", "-e", "-c", run], cwd=folder, env=environment, capture_output=True)
    calls = folder / "calls"
    return done.returncode, calls.read_text().splitlines() if calls.exists() else []


def made_by(login: str, number: int, body: str) -> dict[str, Any]:
    return {"id": number, "user": {"login": login}, "body": body}


@pytest.mark.skipif(shutil.which("jq") is None, reason="the filter is jq's")
def test_our_comment_is_found_by_its_marker(tmp_path: Path) -> None:
    ours = made_by("github-actions[bot]", 3, f"{MARKER}\nOld")
    others = [
        made_by("someone", 1, f"{MARKER}\nI quote the marker"),
        made_by("github-actions[bot]", 2, f"Another workflow's, which quotes {MARKER}"),
    ]
    code, calls = post(tmp_path, [*others, ours, made_by("github-actions[bot]", 4, "The last one")])
    assert code == 0
    assert (
        calls[-1] == "api --silent --method PATCH repos/owner/name/issues/comments/3 --field body=@comment.md"
    )
    (tmp_path / "calls").unlink()
    code, calls = post(tmp_path, others)
    assert code == 0
    assert (
        calls[-1] == "api --silent --method POST repos/owner/name/issues/7/comments --field body=@comment.md"
    )


def test_what_does_not_begin_with_the_marker_is_not_posted(tmp_path: Path) -> None:
    code, calls = post(tmp_path, [], "Something else\n")
    assert code == 1
    assert calls == []


def test_the_marker_is_the_comment_s() -> None:
    from stages.tools.review.comment import MARKER as written

    assert written == MARKER
    assert MARKER in (ROOT / ".github/workflows/report.yml").read_text()
