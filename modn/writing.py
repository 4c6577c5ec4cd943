"""Where results are written: regular files atomically, devices and pipes directly, inputs never."""

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file to write to; after the block its content goes to `path`.

    A regular file is replaced at once, or stays as it is when something fails; its permissions are kept, and
    other hard links keep the old content. Of a symbolic link, the target is replaced. A device, a named pipe
    or /dev/stdout receives the content as a stream.
    """
    try:
        if _is_stream(path):
            with _content_for_stream(path) as temporary:
                yield temporary
        else:
            with _content_for_file(Path(os.path.realpath(path))) as temporary:
                yield temporary
    except OSError as error:
        if error.errno is None:
            raise  # raised by a library, without a file
        raise OSError(error.errno, error.strerror, str(path)) from error  # the user knows this path only


def check_output(name: str, path: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output that cannot be written or that is one of the inputs; `name` is that of the option."""
    if path.is_dir():
        raise ValueError(f"{name} is {path}, a folder; allowed: the name of a file")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir() and not _is_stream(path):
        raise ValueError(f"{name} is {path}; there is no folder {folder}")
    for given in inputs:
        if path.is_file() and given.exists() and path.samefile(given):
            raise ValueError(f"{name} is {path}, the same file as the input {given}; allowed: another file")


@contextmanager
def _content_for_file(target: Path) -> Iterator[Path]:
    if target.is_symlink():  # `realpath` gave up
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    before = target.stat() if target.exists() else None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    # A private file stays private from the first byte; a new one follows the umask.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o666 if before is None else 0o600))
    try:
        yield temporary
        if before is not None:
            _keep_permissions(temporary, before)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _content_for_stream(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "content"
        temporary.touch()
        yield temporary
        number = _descriptor(path)
        # Opening /dev/stdout by its name would truncate the file that it is redirected to.
        target = path if number is None else number
        with open(target, "wb", closefd=number is None) as stream, temporary.open("rb") as content:
            shutil.copyfileobj(content, stream)


def _is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe or one of the files that are open already."""
    return _descriptor(path) is not None or (path.exists() and not path.is_file())


def _descriptor(path: Path) -> int | None:
    """The number of the open file that /dev/stdout, /dev/fd/3 and links to them stand for."""
    open_files = Path("/proc/self/fd").resolve()
    while path.exists():  # not so for links that lead nowhere, or in a circle
        if path.parent.resolve() == open_files:
            return int(path.name)
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


def _keep_permissions(path: Path, before: os.stat_result) -> None:
    if os.name == "posix":
        with suppress(PermissionError):  # only the administrator can give files away
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(before.st_mode & 0o777)
