"""How every stage is called: arguments and parameters in, a clear error and an exit code out."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from stages.config import composition

Stage = Callable[..., None]


SYNTAX = """Parameters are read from params.yaml; key=value changes one for this call, in Hydra's syntax:
alpha_s=5, runtime.workers=1, optimizers.bbo.population=50. `dvc repro` calls the stages in order."""


class StageError(Exception):
    """Something a user can fix: reported in one message, without a traceback."""


def run(name: str, about: str | None, stage: Stage, arguments: Mapping[str, str] | None = None) -> None:
    """Call stage(parameters, **arguments) with the values in params.yaml and on the command line.

    `arguments` are the stage's own, name -> help; on the command line they look like parameters: model=modnf.
    """
    arguments = arguments or {}
    parser = argparse.ArgumentParser(
        prog=f"python -m stages.{name}",
        usage=" ".join([f"python -m stages.{name}", *(f"{a}=..." for a in arguments), "[key=value ...]"]),
        description=about,
        epilog="".join(f"{argument}=...: {text}\n" for argument, text in arguments.items()) + SYNTAX,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", help=argparse.SUPPRESS)
    overrides = parser.parse_args().overrides
    composition.register()
    with reported(name):
        own = dict(
            override.split("=", 1) for override in overrides if override.partition("=")[0] in arguments
        )
        missing = [argument for argument in arguments if argument not in own]
        if missing:
            raise StageError(f"{missing[0]}=... is missing: {arguments[missing[0]]}")
        rest = [override for override in overrides if override.partition("=")[0] not in arguments]
        parameters = composition.compose_stage(rest)
        print(f"{name}: {composition.describe(parameters, way_back=not rest)}", flush=True)
        stage(parameters, **own)


@contextmanager
def reported(name: str) -> Iterator[None]:
    """End the process with one message if a user can fix the error; a bug keeps its traceback."""
    try:
        yield
    except (StageError, ValueError) as error:
        sys.exit(f"{name}: {error}")
    except MemoryError as error:
        sys.exit(f"{name}: not enough memory ({str(error) or 'no details'}); nothing was replaced")
    except FileNotFoundError as error:
        sys.exit(f"{name}: {error.filename} is missing; an earlier stage makes it: dvc repro")
    except OSError as error:
        if error.strerror is None:
            raise  # it is not about a file
        sys.exit(f"{name}: {error.filename2 or error.filename}: {error.strerror}; nothing was replaced")
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemError as error:  # what Ctrl-C becomes where it hits the way into a compiled function
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(130)
