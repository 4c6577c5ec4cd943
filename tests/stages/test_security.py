"""What SECURITY.md promises: no code from files or values, no network unasked, pinned actions, few rights."""

import ast
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from copies import ROOT, Place, Project

from stages.fetch import fetch
from stages.split import split

SOURCES = sorted(
    path
    for folder in ("modn", "stages", "conf", "benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.py")
)
SERIALIZERS = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle"}
ARCHIVES = {"zipfile", "tarfile"}  # what unpacks them must mind the paths inside: nothing here does
NETWORK = {"urllib", "http", "requests", "httpx", "aiohttp", "ftplib", "socket", "ssl"}
CALLS = {
    "eval", "exec", "compile", "__import__", "read_pickle", "to_pickle", "unsafe_load", "full_load",
    "system", "popen", "mktemp", "extractall", "_create_unverified_context",
}  # fmt: skip


def faults(source: str, may_use_the_network: bool = False) -> Iterator[str]:
    """What a source does that it may not, with its line."""
    for node in ast.walk(ast.parse(source)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        forbidden = SERIALIZERS | ARCHIVES | (set() if may_use_the_network else NETWORK)
        modules = [module for module in modules if not module.startswith("urllib.parse")]  # spells addresses
        for module in modules:
            if module.split(".")[0] in forbidden or module in ("joblib.load", "yaml.load", "numpy.load"):
                yield f"line {node.lineno}: import {module}"
        if isinstance(node, ast.Call):
            fault = _fault_of_call(node)
            if fault:
                yield f"line {node.lineno}: {fault}"


def _fault_of_call(call: ast.Call) -> str | None:
    owner, name = "", ""
    if isinstance(call.func, ast.Attribute):
        owner, name = ast.unparse(call.func.value), call.func.attr
    elif isinstance(call.func, ast.Name):
        name = call.func.id
    options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if name in CALLS and owner != "re":
        return f"{owner}.{name}" if owner else name
    if name == "load" and owner in ("np", "numpy") and options.get("allow_pickle") != "False":
        return "np.load without allow_pickle=False"
    if name == "load" and owner in ("yaml", "joblib", "torch"):
        return f"{owner}.load"
    if options.get("shell", "False") != "False":
        return f"{name} with a shell"
    return None


def test_no_source_runs_code_from_a_file_or_a_value() -> None:
    found = {
        str(path.relative_to(ROOT)): list(faults(path.read_text(), path.name == "uci.py")) for path in SOURCES
    }
    assert len(found) > 60
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import zipfile",
        "import urllib.request",
        "from joblib import load",
        "eval(text)",
        "frame.eval(text)",
        "exec(text)",
        "os.system(text)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=chosen)",
        "yaml.load(text, Loader)",
        "joblib.load(path)",
        "pd.read_pickle(path)",
        "subprocess.run(text, shell=True)",
        "archive.extractall()",
    ],
)
def test_the_search_finds(source: str) -> None:
    assert len(list(faults(source))) >= 1


def test_the_search_lets_pass_what_is_safe() -> None:
    safe = "np.load(p, allow_pickle=False)\nre.compile(t)\nyaml.safe_load(t)\nsubprocess.run([a])\nimport io"
    assert list(faults(safe)) == []


def test_no_network_unless_asked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError(f"the network was used: {args[1:]}")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    parameters = place.parameters("datasets=[iris]")
    fetch(parameters)
    split(parameters)
    parameters.fetch.source = "uci"
    with pytest.raises(AssertionError, match="the network was used"):
        fetch(parameters)


@pytest.mark.slow
def test_names_in_params_yaml_reach_no_shell(fresh: Project) -> None:
    """DVC puts them into commands; the stage that refuses an edited file comes first."""
    path = fresh.root / "params.yaml"
    before = path.read_text()
    path.write_text(before.replace("baseline: knn", "baseline: knn; touch harmed; true"))
    assert path.read_text() != before
    done = fresh.run("dvc", "repro")
    assert done.returncode != 0, done.stdout
    assert re.findall("Running stage '(.+)'", done.stdout) == ["params"]
    assert not (fresh.root / "harmed").exists()


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# The jobs that may write, and what; they check nothing out, so no code of a pull request runs in them.
WRITING = {
    ("report.yml", "comment"): {"pull-requests"},
    ("pages.yml", "publish"): {"pages", "id-token"},
}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_have_few_rights(path: Path) -> None:
    text = path.read_text()
    used = re.findall(r"uses: *(.*)", text)
    assert used
    for action in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    workflow = yaml.safe_load(text)
    assert "write" not in workflow["permissions"].values()
    assert "pull_request_target" not in text and "secrets." not in text
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", workflow["permissions"])
        written = {right for right, level in rights.items() if level != "read"}
        assert written == WRITING.get((path.name, name), set())
        assert not written or not any("checkout" in step.get("uses", "") for step in job["steps"])
        assert job["timeout-minutes"] <= 30
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), "a value in a script: hand it over in env"
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_dvc_sends_nothing() -> None:
    assert re.search(r"^\s*analytics = false$", (ROOT / ".dvc/config").read_text(), re.MULTILINE)
    assert "remote" not in (ROOT / ".dvc/config").read_text()
