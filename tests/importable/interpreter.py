"""Code run as in a new interpreter, but for numba and its first compilation, which most of a start is."""

import os
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numba

numba.njit(lambda x: x + 1)(1)

CONTEXT = get_context("forkserver")


def run(code: str, folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """What the code prints to each stream, in a folder that modules are imported from."""
    CONTEXT.set_forkserver_preload([__name__])
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_execute, args=(code, folder, environment, theirs))
    process.start()
    theirs.close()
    printed = ours.recv()
    process.join()
    return printed


def _execute(code: str, folder: Path, environment: dict[str, str], results: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    numba.core.config.reload_config()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    # Python takes an edit within the second that leaves the size as it was for no edit.
    sys.dont_write_bytecode = True
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            exec(code, {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
    results.send((out.getvalue(), err.getvalue()))
