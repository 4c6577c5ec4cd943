"""The stages as commands: help, errors, exit codes; no litter; no import before it is needed."""

import ast
import json
import runpy
import sys

import pytest
from copies import ROOT, Outcome, Place, Project, composed, contents

from stages.io import entrypoint

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
    assert set(STAGES) >= set(HEAVY) == {stage for group in GROUPS for stage in group}


class Command:
    """Stages as `python -m` calls them, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, stage: str, *arguments: str) -> tuple[int | str | None, str]:
        """The exit code, or the message that gives 1; and what is printed."""
        self.monkeypatch.setattr(sys, "argv", [stage, *arguments])
        path = ROOT / "stages" / stage.replace(".", "/")
        file = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(file), run_name="__main__")
        return end.value.code, "".join(self.capsys.readouterr())


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)


@pytest.mark.slow  # together: imports of all stages
@pytest.mark.parametrize("stage", STAGES)
def test_help_helps(stage: str, command: Command) -> None:
    code, text = command(stage, "--help")
    assert code == 0
    assert f"python -m stages.{stage}" in text
    if stage in HEAVY:  # it reads parameters
        assert "key=value" in text and "alpha_s=5" in text, text
    for argument in ARGUMENTS.get(stage, []):
        assert text.count(f"{argument}=...") >= 2, text  # in the usage, and explained


# Each group in one process, in an order in which none imports what a later one must not.
GROUPS = [["tools.params", "fetch", "split", "plot", "report"], ["train", "evaluate"]]
IMPORTED = """
import importlib, json, sys
from stages.config import composition
composition.register()
composition.compose_stage([])
for stage, heavy in json.loads(sys.argv[1]).items():
    importlib.import_module(f"stages.{stage}")
    print(stage, [name for name in heavy if name in sys.modules])
"""


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_a_stage_imports_what_it_needs_when_it_needs_it(group: list[str], fresh: Project) -> None:
    """Also after its parameters were read: that is what every call of it waits for."""
    output = fresh.succeed("python", "-c", IMPORTED, json.dumps({stage: HEAVY[stage] for stage in group}))
    assert output.splitlines() == [f"{stage} []" for stage in group]


def test_the_package_knows_nothing_of_the_pipeline() -> None:
    for path in (ROOT / "modn").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [str(node.module)]
            packages = {name.partition(".")[0] for name in names}
            assert not packages & {"dvc", "hydra", "omegaconf", "stages"}, path


REFUSED = [
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
    (["train", *STUDY, "model=modn", "optimizer=bp"], ["train: ", "model=modn optimizer=bp", "modnf-bbo"]),
    (["train", *STUDY, "model=modnf"], ["train: optimizer=... is missing"]),
    (
        ["train", "study=nope", "model=modn", "optimizer=bbo"],
        ["study=nope", "allowed", "comparison-modnf-bbo"],
    ),
    (["train", "--fast"], ["--fast"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "expected"), REFUSED, ids=[" ".join(one) for one, _ in REFUSED])
def test_a_refused_command_says_why_and_changes_nothing(
    place: Place, command: Command, arguments: list[str], expected: list[str]
) -> None:
    (place.root / "params.yaml").write_text(composed())
    before = contents(place.root, ".")
    code, text = command(*arguments)
    assert code not in (0, None)
    said = f"{text}{code}"
    assert all(part in said for part in expected), said
    assert contents(place.root, ".") == before


@pytest.mark.slow
def test_a_refused_command_prints_its_message_alone(fresh: Project) -> None:
    done = fresh.stage("tools.params", "alpha_s=-1")
    assert done.returncode == 1
    assert done.stdout == "params: alpha_s is -1.0; allowed: a finite number > 0\n"
    assert fresh.succeed("git", "status", "--porcelain") == ""


def test_no_output_folders_of_hydra(finished: tuple[Project, Outcome]) -> None:
    names = {path.name for path in finished[0].root.rglob("*")}
    assert not names & {"outputs", "multirun", ".hydra", "hydra.yaml"}
    assert not any(name.endswith(".log") for name in names)


def run_in_process(monkeypatch: pytest.MonkeyPatch, stage: entrypoint.Stage, *arguments: str) -> object:
    """The exit code or message of a stage of our own."""
    monkeypatch.setattr(sys, "argv", ["own", *arguments])
    with pytest.raises(SystemExit) as end:
        entrypoint.run("own", "A stage.", stage, {"part": "which part"})
    return end.value.code


def test_errors_of_a_stage_become_messages(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.root / "params.yaml").write_text(composed())

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
