"""The two sides of a comparison: the files of this folder, and those of the commit where its branch began."""

import io
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from stages.io.entrypoint import StageError


@dataclass(frozen=True)
class Sides:
    """`root` is this side; the other is `commit`, called `base` in the comment."""

    root: Path
    base: str
    commit: str

    def here(self, path: str) -> bytes | None:
        """A file as it is here; None if there is none."""
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def there(self, path: str) -> bytes | None:
        """A file as the base has it; None if it has none."""
        shown = _git(self.root, "show", f"{self.commit}:{path}")
        return None if shown.returncode else shown.stdout

    def both(self, path: str) -> tuple[bytes | None, bytes | None]:
        """Before and after."""
        return self.there(path), self.here(path)

    def names(self, folder: str) -> tuple[set[str], set[str]]:
        """The names of a folder's files, before and after."""
        listed = _git(self.root, "ls-tree", "-z", "--name-only", self.commit, "--", f"{folder}/").stdout
        there = {Path(name).name for name in listed.decode("utf-8", "replace").split("\0") if name}
        here = {file.name for file in (self.root / folder).glob("*") if file.is_file()}
        return there, here

    def changed(self) -> list[str]:
        """Every file that git knows and that differs from the base."""
        listed = _git(self.root, "diff", "--name-only", "-z", self.commit)
        return [name for name in listed.stdout.decode("utf-8", "replace").split("\0") if name]


def against(root: Path, base: str) -> Sides:
    """This folder against the commit at which the branch left its base."""
    if _git(root, "rev-parse", "--is-inside-work-tree").returncode:
        raise StageError(f"{root} is not in a git repository: there is nothing to compare with")
    if _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").returncode:
        raise StageError(f"base={base}: git knows no such revision; allowed: a branch, a tag or a commit")
    common = _git(root, "merge-base", base, "HEAD")
    if common.returncode:
        raise StageError(f"base={base} and this branch have no commit in common; a shallow clone lacks them")
    return Sides(root, base, common.stdout.decode().strip())


def read_table(name: str, content: bytes, columns: Collection[str]) -> pd.DataFrame:
    """A CSV whose cells stay text, however much they look like numbers; these columns must be there."""
    try:
        frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except (ValueError, UnicodeError) as error:
        raise StageError(f"{name} is damaged; `dvc repro` restores it ({error})") from None
    missing = sorted(set(columns) - set(frame.columns))
    if missing:
        raise StageError(f"{name} has no column {missing[0]!r}; `dvc repro` writes one that has")
    return frame


def read_mapping(name: str, content: bytes | None) -> dict[str, Any]:
    """A YAML or JSON file of names and values; a file that does not exist has none."""
    try:
        value = yaml.safe_load(content or b"{}")
    except (yaml.YAMLError, UnicodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StageError(f"{name} is damaged: it holds no values by name")
    return value


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True)
