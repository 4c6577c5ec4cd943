"""Say whether the committed reports are still those of this code: python -m stages.tools.evidence.

A report's provenance.json holds the hashes of the sources and parameters that made it, and the versions of
the packages. This tool compares them with the sources, conf/ and requirements.lock as they are now. With
`readme`, it also updates the line about reports/paper in README.md.
"""

import argparse
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from stages.config import composition
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import making
from stages.tools import markup

OF_README = "paper"
LINE = re.compile(r"(?<=<!-- evidence -->\n).*?(?=<!-- /evidence -->)", re.DOTALL)


@dataclass(frozen=True)
class Evidence:
    """What has changed since a report was made."""

    profile: str
    fingerprinted: bool
    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    parameters: bool = False
    packages: dict[str, tuple[str, str]] = field(default_factory=dict)
    known: frozenset[str] = frozenset()  # all sources, then and now

    @property
    def sources(self) -> list[str]:
        """All sources that are not what they were."""
        return sorted([*self.changed, *self.added, *self.removed])

    @property
    def current(self) -> bool:
        """Whether this code would make the same report."""
        return self.fingerprinted and not (self.sources or self.parameters or self.packages)

    def line(self) -> str:
        """One sentence; of the sources, only the folders, so that it seldom changes."""
        folders = sorted({f"`{_folder(path)}`" for path in self.sources})
        return self._sentence(f"sources in {', '.join(folders)}")

    def markdown(self) -> str:
        """One sentence with the first few sources, for the review."""
        names = markup.some([markup.code(path) for path in self.sources], 6)
        return self._sentence(f"{markup.count(len(self.sources), 'source')} ({names})")

    def details(self) -> str:
        """The line, and every cause on a line of its own."""
        kinds = (("changed", self.changed), ("new", self.added), ("removed", self.removed))
        causes = [f"  {word}: {path}" for word, paths in kinds for path in paths]
        return "\n".join([self.line(), *causes])

    def _sentence(self, sources: str) -> str:
        report = f"`reports/{self.profile}`"
        if not self.fingerprinted:
            return (
                f"{report} was made by an earlier version of the code, which kept no fingerprint of its "
                "sources. It has not been rerun since."
            )
        if self.current:
            return f"{report} was made by this code, with these parameters and package versions."
        causes = [sources] if self.sources else []
        causes += ["parameters"] if self.parameters else []
        causes += [f"{name} ({old} to {new})" for name, (old, new) in sorted(self.packages.items())]
        return f"{report} was made before these changed: {'; '.join(causes)}. It has not been rerun since."


def examine_all(root: Path) -> list[Evidence]:
    """Every report that has a provenance, by profile."""
    return [examine(root, path.parent.name) for path in sorted(root.glob("reports/*/provenance.json"))]


def examine(root: Path, profile: str) -> Evidence:
    """Compare the causes of a report with what they are now."""
    path = root / f"reports/{profile}/provenance.json"
    try:
        made = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        raise StageError(f"reports/{profile}/provenance.json is damaged; `dvc repro` restores it")
    recorded = made.get("sources")
    if not isinstance(recorded, dict) or not recorded:
        return Evidence(profile, fingerprinted=False)
    present = {name: _sha256(root, name) for name in recorded}
    parameters = _composed(profile)
    imported = set(making.source_hashes(parameters)) if parameters else set()
    return Evidence(
        profile,
        fingerprinted=True,
        changed=sorted(name for name, now in present.items() if now not in (None, recorded[name])),
        added=sorted(imported - recorded.keys()),
        removed=sorted(name for name, now in present.items() if now is None),
        parameters=made.get("parameters_sha256", "") not in _hashes(root, profile, parameters),
        packages=_packages(root, made.get("versions")),
        known=frozenset(imported | recorded.keys()),
    )


def _composed(profile: str) -> Parameters | None:
    """What conf/ composes to with this profile; None if it is not one of conf's."""
    try:
        return composition.compose_plan([f"profile={profile}"])
    except (ValueError, HydraException, OmegaConfBaseException):
        return None


def _hashes(root: Path, profile: str, composed: Parameters | None) -> set[str | None]:
    """The hashes that are up to date: of params.yaml, if it has this profile, and of conf's composition."""
    written = yaml.safe_load((root / "params.yaml").read_bytes()) if (root / "params.yaml").is_file() else {}
    own = written.get("derived", {}).get("sha256") if written.get("profile") == profile else None
    return {own, composed.derived["sha256"]} if composed else {own}


def _sha256(root: Path, name: str) -> str | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not (root / path).is_file():
        return None
    return hashlib.sha256((root / path).read_bytes()).hexdigest()


def _packages(root: Path, versions: Any) -> dict[str, tuple[str, str]]:
    """Packages whose version is not a locked one, as (recorded, locked)."""
    lock = root / "requirements.lock"
    allowed = locked(lock.read_text(encoding="utf-8") if lock.is_file() else "")
    recorded = versions if isinstance(versions, dict) else {}
    return {
        name: (str(version), " or ".join(allowed[name]))
        for name, version in recorded.items()
        if name in allowed and version not in allowed[name]
    }


def locked(requirements: str) -> dict[str, list[str]]:
    """The versions of each package in a lock file; several, where they depend on Python's."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", requirements, re.MULTILINE):
        versions.setdefault(name, []).append(version)
    return versions


def _folder(path: str) -> str:
    return "/".join(path.split("/")[:2] if path.count("/") > 1 else path.split("/")[:1])


def update_readme(readme: Path, line: str) -> bool:
    """Put the line between its markers; whether that changed the file."""
    text = readme.read_text(encoding="utf-8")
    updated = LINE.sub(lambda _: f"{line}\n", text, count=1)
    if updated != text:
        files.write_text(readme, updated)
    return updated != text


def main() -> None:
    """Print a line for each report, and what changed since it was made."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.evidence", description=__doc__)
    parser.add_argument("readme", nargs="?", choices=["readme"], help="update the line in README.md")
    update = parser.parse_args().readme is not None
    root = composition.ROOT
    with entrypoint.reported("evidence"):
        for found in examine_all(root):
            print(found.details())
        if update and update_readme(root / "README.md", examine(root, OF_README).line()):
            print("README.md: updated")


if __name__ == "__main__":
    main()
