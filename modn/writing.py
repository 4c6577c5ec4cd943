"""Files that are there as a whole or not at all."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes the place of `path` when nothing went wrong."""
    temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno is None:
            raise  # a library's, which speaks of no file
        raise OSError(error.errno, error.strerror, str(path)) from error  # nobody knows the temporary one
    finally:
        temporary.unlink(missing_ok=True)
