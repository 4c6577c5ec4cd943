"""Describe the finished run as a Workflow Run RO-Crate: python -m stages.tools.crate build/crate.

The crate holds the workflow (dvc.yaml), what it read and what it reported, each file with its SHA-256, and an
action for each stage of dvc.lock: the module that ran, what it read and what it made. Results that are not in
git, such as trained models, are listed with the checksum that DVC knows them by.
"""

import argparse
import hashlib
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from modn.extras import needs
from stages.config import composition
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError

with needs("docs"):
    from rocrate.model.computationalworkflow import ComputationalWorkflow
    from rocrate.model.computerlanguage import ComputerLanguage
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

VERSION = "1.1"  # of RO-Crate, which the profiles of workflow runs are made for
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
LICENSE = "https://spdx.org/licenses/MIT"
ABOUT = ("LICENSE", "CITATION.cff", "README.md", "requirements.lock", "dvc.lock", "params.yaml")
IGNORED = ("__pycache__", ".pyc", "index.html")  # what .dvcignore and .gitignore leave out


class Crate:
    """A crate of one run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.crate = ROCrate(version=VERSION)
        self.lock = _value(root / "dvc.lock", "stages")
        self.profile = str(_value(root / "params.yaml", "profile"))
        record = root / "reports" / self.profile / "provenance.json"
        self.made = files.read_json(record) if record.exists() else {}
        if not isinstance(self.made, dict) or not isinstance(self.lock, dict):
            raise StageError("dvc.lock or provenance.json is damaged; `make repro` restores them")

    def build(self) -> ROCrate:
        """The crate, not yet written."""
        workflow = self._workflow()
        tools = {name: self._tool(stage["cmd"]) for name, stage in self.lock.items()}
        workflow["hasPart"] = list({tool.id: tool for tool in tools.values()}.values())
        actions = [self._action(name, stage, tools[name]) for name, stage in self.lock.items()]
        for name in ABOUT:
            if (self.root / name).is_file():
                self.entity(name)
        made = [self.entity(path) for path in self._paths("outs") if (path + "/").startswith("reports/")]
        self._describe([self._run(workflow, made), *actions])
        return self.crate

    def entity(self, path: str, more: Mapping[str, Any] | None = None) -> Any:
        """What stands for a file or folder of the project; what is not in git is described, not copied."""
        found, source = self.crate.dereference(path), self.root / path
        if found is not None or self.crate.dereference(path + "/") is not None:
            return found or self.crate.dereference(path + "/")
        if self._is_kept_by_dvc(path) or not source.exists():
            return self._described(path)
        if source.is_dir():
            inside = sorted(p for p in source.rglob("*") if p.is_file() and not str(p).endswith(IGNORED))
            kept = [p for p in inside if not set(IGNORED) & set(p.parts)]
            parts = [self.entity(p.relative_to(self.root).as_posix()) for p in kept]
            return self.crate.add_dataset(dest_path=path, properties={"hasPart": parts, "name": path})
        content = source.read_bytes()
        facts = {
            "name": path,
            "sha256": hashlib.sha256(content).hexdigest(),
            "contentSize": str(len(content)),
        }
        return self.crate.add_file(source, path, properties={**facts, **(more or {})})

    def _workflow(self) -> Any:
        dvc = ComputerLanguage(
            self.crate,
            "https://dvc.org",
            {
                "name": "DVC",
                "url": {"@id": "https://dvc.org"},
                "version": self.made.get("versions", {}).get("dvc", "unknown"),
            },
        )
        self.crate.add(dvc)
        content = (self.root / "dvc.yaml").read_bytes()
        facts = {
            "name": "The study: fetch, split, train, fit, evaluate, plot, report",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        return self.crate.add_workflow(
            self.root / "dvc.yaml",
            "dvc.yaml",
            properties=facts,
            main=True,
            lang=dvc,
            cls=ComputationalWorkflow,
        )

    def _tool(self, command: str) -> Any:
        """The module that a stage's command starts: python -m stages.train ..."""
        module = command.split()[2]
        path = module.replace(".", "/") + ".py"
        return self.entity(path, {"@type": ["File", "SoftwareSourceCode"], "programmingLanguage": "Python"})

    def _action(self, name: str, stage: Mapping[str, Any], tool: Any) -> Any:
        clocks = self.made.get("stages", {}).get(_key(name), {})
        facts = {
            "name": f"Stage {name}",
            "description": f"`{stage['cmd']}`"
            + (f", {clocks['wall_seconds']:.1f} s" if "wall_seconds" in clocks else ""),
            "actionStatus": "http://schema.org/CompletedActionStatus",
        }
        read = [self.entity(dep["path"]) for dep in stage.get("deps", [])]
        parameters = [self.entity("params.yaml")] if "params" in stage else []
        made = [self.entity(out["path"]) for out in stage.get("outs", [])]
        return self.crate.add_action(tool, f"#{name}", [*read, *parameters], made, facts)

    def _run(self, workflow: Any, made: list[Any]) -> Any:
        """The run as a whole."""
        facts = {
            "name": f"`dvc repro`, profile {self.profile}",
            "actionStatus": "http://schema.org/CompletedActionStatus",
        }
        if "wall_seconds" in self.made:
            cores = f"{self.made['cores']} cores ({self.made['machine']})"
            facts["description"] = f"{self.made['wall_seconds']:.0f} s of training and fitting on {cores}"
        read = [self.entity("data/raw"), self.entity("params.yaml")]
        return self.crate.add_action(workflow, "#run", read, made, facts)

    def _describe(self, actions: list[Any]) -> None:
        root = self.crate.root_dataset
        self.crate.name = f"MODN: the reproduction, profile {self.profile}"
        self.crate.description = "Every table and figure of the paper on MODN, regenerated by one command."
        self.crate.datePublished = _date(self.root)
        self.crate.license = self.crate.add(
            ContextEntity(self.crate, LICENSE, {"@type": "CreativeWork", "name": "MIT License"})
        )
        root["conformsTo"] = [
            self.crate.add(
                ContextEntity(
                    self.crate,
                    address,
                    {"@type": "CreativeWork", "name": name, "version": address.rpartition("/")[2]},
                )
            )
            for address, name in PROFILES.items()
        ]
        root["mentions"] = actions
        packages = self.made.get("versions", {})
        self.crate.mainEntity["softwareRequirements"] = [
            self.crate.add(
                ContextEntity(
                    self.crate,
                    f"#{name}",
                    {
                        "@type": "SoftwareApplication",
                        "name": name,
                        "softwareVersion": version,
                        "version": version,
                    },
                )
            )
            for name, version in packages.items()
        ]

    def _paths(self, kind: str) -> list[str]:
        """All deps or outs of the stages, each once."""
        return list(dict.fromkeys(one["path"] for stage in self.lock.values() for one in stage.get(kind, [])))

    def _is_kept_by_dvc(self, path: str) -> bool:
        """Whether a path is an out that is not in git, or a part of one."""
        kept = (out for out in self._paths("outs") if not out.startswith("reports/"))
        return any(PurePosixPath(path).is_relative_to(out) for out in kept)

    def _described(self, path: str) -> Any:
        facts: dict[str, Any] = {"@type": "CreativeWork", "name": path}
        for stage in self.lock.values():
            for one in [*stage.get("outs", []), *stage.get("deps", [])]:
                if one["path"] == path:
                    size = f"{one['size']} bytes" if "size" in one else "unknown size"
                    facts["identifier"] = f"md5:{one['md5']}"
                    facts["description"] = f"{size}; DVC keeps it by this checksum"
        return self.crate.add(ContextEntity(self.crate, f"#{path}", facts))


def check_current(root: Path) -> None:
    """Refuse a run whose sources, parameters or reports have changed since."""
    from dvc.repo import Repo

    for stage, changes in Repo(str(root)).status().items():
        for path, change in _modified(changes):
            raise StageError(f"{path} is {change} since the run in dvc.lock ({stage}); `dvc repro` first")


def _modified(changes: Any) -> Iterator[tuple[str, str]]:
    """What is not as dvc.lock says; a result that is only in another cache is not there, which is fine."""
    for one in changes:
        if isinstance(one, str):
            yield "the command", one
            continue
        for kinds in one.values():
            for path, change in kinds.items():
                if change not in ("deleted", "not in cache"):
                    yield path, str(change)


def write(root: Path, folder: Path) -> Path:
    """Write the crate of the project's last run to a folder, which is replaced; return its metadata file."""
    check_current(root)
    if (folder.exists() and not (folder / "ro-crate-metadata.json").exists()) or folder.is_symlink():
        raise StageError(f"{folder} is there and is no crate; allowed: a new folder, or a crate to replace")
    crate = Crate(root).build()
    shutil.rmtree(folder, ignore_errors=True)
    crate.write(folder)
    return folder / "ro-crate-metadata.json"


def _key(stage: str) -> str:
    """The name in provenance.json: `comparison modn-bbo` for `train@comparison-modn-bbo`."""
    study, _, name = stage.partition("@")[2].partition("-")
    return f"{study} {name}"


def _date(root: Path) -> str:
    """When the commit was made, so that the same commit gives the same crate."""
    asked = ["git", "log", "-1", "--format=%cI"]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise StageError(f"the project is not in git: {done.stderr.strip()}")
    return done.stdout.strip()


def _value(path: Path, key: str) -> Any:
    """One of the values in a YAML file."""
    try:
        return yaml.safe_load(path.read_bytes())[key]
    except (yaml.YAMLError, KeyError, TypeError):
        raise StageError(f"{path.name} is damaged; `make repro` restores it") from None


def main() -> None:
    """Write the crate into the folder that is given."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.crate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="the folder to write to")
    folder = parser.parse_args().folder
    with entrypoint.reported("crate"):
        print(f"crate: {write(composition.ROOT, folder)}")


if __name__ == "__main__":
    main()
