"""What is installed only when asked for, such as `pip install modn[plots]`."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Say which extra to install when an import of the block fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error.name} is not installed; install it with: pip install 'modn[{extra}]'", name=error.name
        ) from None
