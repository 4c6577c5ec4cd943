"""Values that follow from files and take long to compute: kept in .dvc/tmp until one of the files changes."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

MOST = 100  # files in a folder: the latest


class Kept:
    """The place of one value, as JSON, named by the contents of the files that it follows from."""

    def __init__(self, root: Path, folder: str, causes: Callable[[], Iterable[Path]], name: str = "") -> None:
        self.root, self.causes = root, causes
        self.digest = self._digest()
        self.path = root / f".dvc/tmp/{folder}/{self.digest}{name and f'-{name}'}.json"

    def read(self) -> Any:
        """The value; None: it is not kept, or half written."""
        try:
            return json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def write(self, value: Any) -> None:
        """Keep a value, if this is a project of DVC, and no cause was edited while the value was computed."""
        if not (self.root / ".dvc").is_dir() or self._digest() != self.digest:
            return
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(value), encoding="utf-8")
            for old in sorted(self.path.parent.glob("*.json"), key=os.path.getmtime)[:-MOST]:
                old.unlink()

    def _digest(self) -> str:
        total = hashlib.sha256()
        for path in sorted(self.causes()):
            with suppress(OSError):  # one that is missing is no cause
                total.update(f"{os.path.relpath(path, self.root)}\0".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()[:32]
