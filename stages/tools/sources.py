"""Hash the sources that all trainings import: python -m stages.tools.sources.

Every training depends on the file that it writes. So dvc.lock lists these sources once, not once for each
training; DVC writes all of dvc.lock after every stage.
"""

import argparse
import hashlib

import yaml

from stages.io import files


def main() -> None:
    """Write data/sources.json: each file that the stage `sources` of dvc.yaml depends on, and its SHA-256."""
    argparse.ArgumentParser(prog="python -m stages.tools.sources", description=__doc__).parse_args()
    described = yaml.safe_load((files.ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    paths = [files.ROOT / path for path in described["stages"]["sources"]["deps"]]
    found = [file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])]
    hashes = {
        file.relative_to(files.ROOT).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in found
    }
    files.write_json(files.SOURCES, hashes)


if __name__ == "__main__":
    main()
