"""The stages as commands: help, errors, exit codes; no litter; no import before it is needed."""

import json
import sys
from pathlib import Path

import pytest
from copies import ROOT, Project

from stages.io import entrypoint

pytestmark = pytest.mark.slow  # each test starts processes of its own

STAGES = sorted(
    ".".join(path.relative_to(ROOT / "stages").with_suffix("").parts).removesuffix(".__main__")
    for path in (ROOT / "stages").rglob("*.py")
    if '__name__ == "__main__"' in path.read_text()
)
STUDY = ["study=comparison"]
ARGUMENTS = {"train": ["study", "model", "optimizer"]}

# What must not be imported before a stage has work to do. Seconds are printed by benchmarks/startup.py.
HEAVY = {
    "tools.params": ["pandas", "sklearn", "matplotlib", "joblib", "distributed", "dvc"],
    "fetch": ["sklearn", "matplotlib", "joblib", "distributed", "dvc", "stages.study.uci"],
    "split": ["sklearn", "matplotlib", "joblib", "distributed", "dvc"],
    "train": ["sklearn", "matplotlib", "pandas", "distributed", "dvc"],
    "evaluate": ["matplotlib", "distributed", "dvc"],
    "plot": ["sklearn", "distributed", "dvc"],
    "report": ["sklearn", "distributed", "dvc"],
}


def test_the_stages_of_the_pipeline_are_all_here() -> None:
    assert set(STAGES) >= set(HEAVY)


# Each with its own imports of the project; those of other packages are shared, since they take a second.
COMMANDS = """
import contextlib, io, json, runpy, sys
answers = []
for stage, *arguments in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.split(".")[0] in ("modn", "stages")]:
        del sys.modules[name]
    sys.argv = [stage, *arguments]
    text, code = io.StringIO(), None
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            runpy.run_module(f"stages.{stage}", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            code = end.code
    answers.append([code, text.getvalue()])
print(json.dumps(answers))
"""


def answers(project: Project, commands: list[list[str]]) -> list[tuple[int | str | None, str]]:
    """Of stages called one after the other: exit codes, or the messages that give 1; and what they print."""
    found = json.loads(project.succeed("python", "-c", COMMANDS, json.dumps(commands)).splitlines()[-1])
    return [(code, text) for code, text in found]


def test_help_helps(sources: Project) -> None:
    found = answers(sources, [[stage, "--help"] for stage in STAGES])
    for stage, (code, text) in zip(STAGES, found, strict=True):
        assert code == 0, stage
        assert f"python -m stages.{stage}" in text
        if stage in HEAVY:  # it reads parameters
            assert "key=value" in text and "alpha_s=5" in text, text
        for argument in ARGUMENTS.get(stage, []):
            assert text.count(f"{argument}=...") >= 2, text  # in the usage, and explained


@pytest.mark.parametrize("stage", HEAVY)
def test_a_stage_imports_what_it_needs_when_it_needs_it(sources: Project, stage: str) -> None:
    """Also after its parameters were read: that is what every call of it waits for."""
    code = (
        f"import sys, stages.{stage}; from stages.config import composition\n"
        "composition.register(); composition.compose_stage([])\n"
        f"print('imported:', [name for name in {HEAVY[stage]} if name in sys.modules])"
    )
    assert sources.succeed("python", "-c", code).splitlines()[-1] == "imported: []"


def test_the_package_knows_nothing_of_the_pipeline(sources: Project) -> None:
    code = (
        "import pkgutil, importlib, sys, modn\n"
        "for module in pkgutil.walk_packages(modn.__path__, 'modn.'): importlib.import_module(module.name)\n"
        "print('imported:', [name for name in ('dvc', 'hydra', 'omegaconf') if name in sys.modules])"
    )
    assert sources.succeed("python", "-c", code).splitlines()[-1] == "imported: []"


REFUSED = [
    (["tools.params", "alpha_s=-1"], ["params: ", "alpha_s is -1.0", "a finite number > 0"]),
    (["tools.params", "datasets=[nope]"], ["params: ", "datasets has no 'nope'", "iris"]),
    (["tools.params", "alpha_s"], ["params: ", "alpha_s"]),
    (["train", *STUDY, "model=modnf", "optimizer=bbo", "alpha_s=-1"], ["train: alpha_s is -1.0", "> 0"]),
    (
        ["train", *STUDY, "model=modnf", "optimizer=bbo", "alpha_x=1"],
        ["train: ", "no key 'alpha_x'", "alpha_s"],
    ),
    (
        ["train", *STUDY, "model=modnf", "optimizer=nope"],
        ["train: ", "optimizer=nope", "allowed: ", "modnf-bbo"],
    ),
    (["train", *STUDY, "model=modn", "optimizer=bp"], ["train: ", "model=modn optimizer=bp", "modn-bbo"]),
    (["train", *STUDY, "model=modnf"], ["train: optimizer=... is missing"]),
    (
        ["train", "study=nope", "model=modn", "optimizer=bbo"],
        ["study=nope", "allowed", "comparison-modn-bbo"],
    ),
    (["train", "--fast"], ["--fast"]),
]


def test_a_refused_command_says_why_and_changes_nothing(sources: Project) -> None:
    before = sources.contents()
    found = answers(sources, [command for command, _ in REFUSED])
    for (command, expected), (code, text) in zip(REFUSED, found, strict=True):
        assert code not in (0, None), command
        said = f"{text}{code}"
        assert all(part in said for part in expected), said
    assert sources.contents() == before
    assert sources.succeed("git", "status", "--porcelain") == ""


def test_a_refused_command_prints_its_message_alone(sources: Project) -> None:
    command, expected = REFUSED[0]
    done = sources.stage(*command)
    assert done.returncode == 1 and done.stdout.count("\n") == 1
    assert all(part in done.stdout for part in expected), done.stdout


def test_no_output_folders_of_hydra(project: Project) -> None:
    for stage in ("fetch", "split", "evaluate"):
        assert project.stage(stage).returncode == 0
    assert project.stage("train", *STUDY, "model=modnf", "optimizer=bbo").returncode == 0
    names = {path.name for path in project.root.rglob("*")}
    assert not names & {"outputs", "multirun", ".hydra", "hydra.yaml"}
    assert not any(name.endswith(".log") for name in names)


def run_in_process(monkeypatch: pytest.MonkeyPatch, stage: entrypoint.Stage, *arguments: str) -> object:
    """The exit code or message of a stage of our own."""
    monkeypatch.setattr(sys, "argv", ["own", *arguments])
    with pytest.raises(SystemExit) as end:
        entrypoint.run("own", "A stage.", stage, {"part": "which part"})
    return end.value.code


def test_errors_of_a_stage_become_messages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails_with(error: BaseException) -> entrypoint.Stage:
        def stage(parameters: object, part: str) -> None:
            assert part == "a=b"
            raise error

        return stage

    missing = "own: data/x is missing; an earlier stage makes it: dvc repro"
    messages = {
        entrypoint.StageError("the table is empty"): "own: the table is empty",
        ValueError("too small"): "own: too small",
        FileNotFoundError(2, "No such file", "data/x"): missing,
        KeyboardInterrupt(): 130,
        MemoryError(): "own: not enough memory (no details); nothing was replaced",
        MemoryError("9 GiB"): "own: not enough memory (9 GiB); nothing was replaced",
    }
    interrupted = SystemError("returned a result with an exception set")
    interrupted.__cause__ = KeyboardInterrupt()
    messages[interrupted] = 130
    for error, expected in messages.items():
        assert run_in_process(monkeypatch, fails_with(error), "part=a=b") == expected
    monkeypatch.setattr(sys, "argv", ["own", "part=a=b"])
    with pytest.raises(ZeroDivisionError):  # a fault of ours keeps its traceback
        entrypoint.run("own", "A stage.", fails_with(ZeroDivisionError()), {"part": "which part"})
