"""The file around a model: an .npz (a zip of arrays) with a header of JSON, read without trusting its sizes.

Nothing in the file decides how much memory reading takes: what is read is no larger than the file itself.
"""

import json
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

Arrays = dict[str, np.ndarray]

HEADER = "header"  # the name of the member with the JSON


class ContainerError(ValueError):
    """The bytes are not those of such a file."""


def read_container(path: Path) -> tuple[Any, Arrays]:
    """The header's value and the arrays."""
    with path.open("rb") as file:
        if file.read(2) != b"PK":  # NumPy would take it for a pickle and suggest how to open that
            raise ContainerError("it is not an .npz file")
        file.seek(0)
        try:
            archive = np.load(file, allow_pickle=False)
            for member in archive.zip.infolist():
                if member.file_size != member.compress_size:
                    raise ContainerError(f"{member.filename} is compressed; allowed: members as they are")
                with archive.zip.open(member) as content:
                    _check_size(member.filename, content, member.file_size)
            arrays = {name: archive[name] for name in archive.files}
        except Exception as error:  # NumPy and zipfile raise many kinds of errors for damaged bytes
            raise ContainerError(str(error) or repr(error)) from error
    if HEADER not in arrays:
        raise ContainerError(f"it has no {HEADER}")
    try:
        return json.loads(str(arrays.pop(HEADER))), arrays
    except (ValueError, RecursionError) as error:
        raise ContainerError(f"its {HEADER} is not JSON: {error}") from error


def _check_size(name: str, content: IO[bytes], size: int) -> None:
    """Refuse an array that says it is larger than its bytes: NumPy would make room for it first."""
    version = npy.read_magic(content)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(content)
    n_items = 1
    for length in shape:
        n_items *= length
    if n_items < 0 or n_items * dtype.itemsize > size:
        raise ContainerError(f"{name} holds {size} bytes; allowed: those of an array {shape} of {dtype}")
