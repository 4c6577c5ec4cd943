"""The programs that run what was exported. Where one is missing, its tests are skipped; in CI they fail."""

import os
import shutil

import pytest


def need(*programs: str) -> list[str]:
    """The paths of programs; "a|b" is either. A test without them is skipped; CI_TOOLS=required fails it."""
    found = [next(filter(None, map(shutil.which, program.split("|"))), None) for program in programs]
    missing = [program for program, path in zip(programs, found, strict=True) if path is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CI_TOOLS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    return [path for path in found if path is not None]
