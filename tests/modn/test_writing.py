"""Writing: regular files atomically, devices and pipes directly, links followed; also by `modn.save`."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import modn
from modn.writing import check_output, replacing

NEURON = modn.Neuron(
    np.ones((2, 2)), np.zeros((2, 2)), np.eye(2, dtype=bool), np.ones(2), np.zeros(2), 5.0, 1.0
)


def write(path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_text("new")


def save(path: Path) -> None:
    modn.save(NEURON, path)


def is_new(content: bytes) -> bool:
    return content == b"new" or content.startswith(b"PK")


@pytest.fixture(params=[write, save], ids=["replacing", "modn.save"])
def writer(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    function: Callable[[Path], None] = request.param
    return function


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_follow_the_umask(tmp_path: Path, writer: Callable[[Path], None], umask: None) -> None:
    writer(tmp_path / "file")
    assert mode(tmp_path / "file") == 0o640 and list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("permissions", [0o600, 0o644, 0o666, 0o755])
def test_permissions_are_kept(tmp_path: Path, writer: Callable[[Path], None], permissions: int) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(permissions)
    writer(file)
    assert mode(file) == permissions and is_new(file.read_bytes())


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o600)
    with replacing(file) as temporary:
        temporary.write_text("new")
        assert mode(temporary) == 0o600 and file.read_text() == "old"


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write to every file")
def test_a_read_only_file_is_refused(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o400)
    with pytest.raises(PermissionError, match="file"):
        writer(file)
    assert file.read_text() == "old"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files away")
def test_the_owner_is_kept(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    os.chown(file, 12345, 12346)
    writer(file)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path: Path, writer: Callable[[Path], None], exists: bool) -> None:
    (tmp_path / "folder").mkdir()
    target, middle, link = tmp_path / "folder" / "file", tmp_path / "middle", tmp_path / "link"
    if exists:
        target.write_text("old")
        target.chmod(0o600)
    middle.symlink_to("folder/file")
    link.symlink_to("middle")
    writer(link)
    assert link.is_symlink() and middle.is_symlink() and is_new(target.read_bytes())
    assert not exists or mode(target) == 0o600
    assert set(tmp_path.iterdir()) == {target.parent, middle, link}


def test_links_in_a_circle_are_refused(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="links"):
        writer(tmp_path / "a")
    assert (tmp_path / "a").is_symlink() and (tmp_path / "b").is_symlink()


@pytest.mark.parametrize("through_link", [False, True])
def test_named_pipes_are_written_to(
    tmp_path: Path, writer: Callable[[Path], None], through_link: bool
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    writer(link if through_link else pipe)
    reader.join()
    assert is_new(received[0]) and pipe.is_fifo() and set(tmp_path.iterdir()) == {pipe, link}


def test_devices_are_written_to(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    writer(Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        writer(Path("/dev/full"))
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    writer(link)
    assert link.is_symlink()


def test_open_files_are_continued_not_replaced(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    file = tmp_path / "file"
    with file.open("wb", buffering=0) as stream:
        stream.write(b"before ")
        writer(Path(f"/dev/fd/{stream.fileno()}"))
        stream.write(b" after")
    content = file.read_bytes()
    assert content.startswith(b"before ") and content.endswith(b" after")
    assert is_new(content.removeprefix(b"before ").removesuffix(b" after"))
    with pytest.raises(FileNotFoundError):
        writer(Path("/dev/fd/98765"))


def test_an_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    for path in (file, tmp_path / "new", Path("/dev/null")):
        with pytest.raises(RuntimeError), replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError
    assert file.read_text() == "old" and list(tmp_path.iterdir()) == [file]


def test_names_of_full_length_can_be_written(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    writer(tmp_path / ("x" * 255))
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]


def test_folders_are_refused(tmp_path: Path, writer: Callable[[Path], None]) -> None:
    with pytest.raises(IsADirectoryError):
        writer(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        writer(tmp_path / "nowhere" / "file")


def test_outputs_are_compared_with_inputs_as_files(tmp_path: Path) -> None:
    given, hard, link = tmp_path / "given", tmp_path / "hard", tmp_path / "link"
    given.write_text("rows")
    os.link(given, hard)
    link.symlink_to("given")
    for output in (given, hard, link, tmp_path / "." / "given"):
        with pytest.raises(ValueError, match=f"^--out is {output}, the same file as the input {given}"):
            check_output("--out", output, [tmp_path / "missing", given])
    check_output("--out", tmp_path / "other", [given])
    check_output("--out", Path("/dev/null"), [Path("/dev/null")])  # a terminal can be both, too
    with pytest.raises(ValueError, match="there is no folder"):
        check_output("--out", tmp_path / "nowhere" / "file", [])
    link.unlink()
    link.symlink_to("nowhere/file")
    with pytest.raises(ValueError, match="there is no folder"):
        check_output("--out", link, [])
