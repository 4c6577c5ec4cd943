"""The programs that run what was exported. Where one is missing, its tests are skipped; in CI they fail."""

import os
import shutil

import pytest


def need(*programs: str) -> None:
    """Skip a test whose programs are not installed; CI_TOOLS=required makes that a failure."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CI_TOOLS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
