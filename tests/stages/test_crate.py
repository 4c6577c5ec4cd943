"""The Workflow Run RO-Crate: what it lists is there, with its hash; each stage is an action."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from copies import Project
from rocrate.rocrate import ROCrate

from stages.io.entrypoint import StageError
from stages.tools import crate


@pytest.mark.slow
def test_the_crate_of_a_run(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "crate"
    crate.write(project.root, folder)
    again = ROCrate(folder)
    assert again.mainEntity.id == "dvc.yaml"
    assert {profile.id for profile in again.root_dataset["conformsTo"]} == set(crate.PROFILES)
    listed = _check_files(folder, again)
    assert {"dvc.yaml", "dvc.lock", "params.yaml", "reports/quick/report.md", "stages/train.py"} < listed
    assert "data/raw/uci/iris.csv" in listed and not any("__pycache__" in name for name in listed)
    _check_actions(again, yaml.safe_load((project.root / "dvc.lock").read_text())["stages"])
    before = (folder / "ro-crate-metadata.json").read_bytes()
    crate.write(project.root, folder)  # it is replaced, and the same
    assert _without_ids(before) == _without_ids((folder / "ro-crate-metadata.json").read_bytes())
    kept = tmp_path / "mine"
    kept.mkdir()
    with pytest.raises(StageError, match="is there and is no crate"):
        crate.write(project.root, kept)
    report = project.root / "reports/quick/report.md"
    report.write_text(report.read_text() + "better\n")
    with pytest.raises(StageError, match=r"report\.md is modified since the run in dvc\.lock"):
        crate.write(project.root, folder)
    assert (folder / "ro-crate-metadata.json").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dvc.lock", "stages: ["),
        ("dvc.lock", "[]"),
        ("dvc.lock", "stages: 3"),
        ("params.yaml", ""),
        ("reports/quick/provenance.json", ""),
        ("reports/quick/provenance.json", "[]"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    for path, good in (("dvc.lock", "stages: {}"), ("params.yaml", "profile: quick"), (name, content)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(good)
    with pytest.raises(StageError, match=f"{Path(name).name}.* is damaged; `.* repro` restores"):
        crate.Crate(tmp_path)


def _check_files(folder: Path, again: ROCrate) -> set[str]:
    """All files of the crate are listed, all that is listed is there with its hash; their names."""
    files = [entity for entity in again.data_entities if "File" in entity.type]
    for entity in files:
        content = (folder / entity.id).read_bytes()
        assert entity["sha256"] == hashlib.sha256(content).hexdigest(), entity.id
    inside = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    names = {entity.id for entity in files}
    assert inside == names | {"ro-crate-metadata.json"}
    return names


def _check_actions(again: ROCrate, stages: dict[str, Any]) -> None:
    actions = {entity.id: entity for entity in again.get_entities() if entity.type == "CreateAction"}
    assert set(actions) == {f"#{name}" for name in stages} | {"#run"}
    assert {action.id for action in again.root_dataset["mentions"]} == set(actions)
    tools = {tool.id for tool in again.mainEntity["hasPart"]}
    for name, stage in stages.items():
        action = actions[f"#{name}"]
        assert action["instrument"].id in tools
        assert action["instrument"].id == stage["cmd"].split()[2].replace(".", "/") + ".py"
        read = _names(action, "object")
        assert {dep["path"] for dep in stage["deps"]} <= read
        assert ("params.yaml" in read) >= ("params" in stage)
        assert _names(action, "result") == {out["path"] for out in stage.get("outs", [])}
    assert actions["#run"]["instrument"].id == "dvc.yaml"
    splits = again.dereference("#data/splits")
    assert splits["identifier"] == "md5:" + stages["split"]["outs"][0]["md5"]


def _names(action: Any, key: str) -> set[str]:
    found = action.get(key, [])
    return {one.id.strip("#/") for one in (found if isinstance(found, list) else [found])}


def _without_ids(metadata: bytes) -> Any:
    return sorted(json.loads(metadata)["@graph"], key=lambda entity: entity["@id"])


def test_a_project_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        crate.Crate(tmp_path)
