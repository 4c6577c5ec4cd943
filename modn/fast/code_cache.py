"""Machine code on disk: numba's cache, made safe against stale, damaged and mixed-up files.

It builds on private classes of numba, which has no public interface for it: `FunctionCache` decides where the
files are (NUMBA_CACHE_DIR, `__pycache__` or the user's cache folder) and what one holds, and
`IndexDataCacheFile` reads and writes them, an index per function and a file per signature.
"""

# numba's classes have no types
# mypy: allow-untyped-defs

import sys
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

from modn.fast.compiling import Function, Sources

DIGEST_BYTES = sha256().digest_size


def code_cache(function: Function, sources: Sources) -> Any:
    """The cache of a function's machine code; one that keeps nothing where no folder can be written to."""
    try:
        return _CodeCache(function, sources)
    except RuntimeError:  # numba: "no locator available"
        return NullCache()


class _CodeCache(FunctionCache):
    def __init__(self, function: Function, sources: Sources) -> None:
        super().__init__(function)
        self._sources = sources
        # numba's own stamp, too: functions typed into a notebook have no file
        stamp = (self._impl.locator.get_source_stamp(), sources.stamp)
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig, target_context):
        """Load; if there is nothing to load, say that compiling takes a while."""
        data = super().load_overload(sig, target_context)
        if data is None:
            _announce_compiling()
        return data

    def save_overload(self, sig, data):
        """Save, unless the code in memory may be older than the files; a full disk is no error."""
        if not self._sources.changed():
            with suppress(OSError):
                super().save_overload(sig, data)


@cache
def _announce_compiling() -> None:
    """Tell whoever is waiting at a terminal or a notebook, once."""
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print("modn: compiling for this machine (once, some seconds) ...", file=sys.stderr)


class _SealedFiles(IndexDataCacheFile):
    """Files that end in a digest of the stamp and of their contents; one with another digest is ignored.

    numba checks the stamp of the index only, and writes it before the code: a process that is killed in
    between, or two that write at once, would leave a good index of bad code.
    """

    def save(self, key, data):
        super().save(key, (key, data))

    def load(self, key):
        stored = super().load(key)
        return stored[1] if stored is not None and stored[0] == key else None

    def _load_index(self):
        return super()._load_index() if self._is_sealed(self._index_path) else {}

    def _load_data(self, name):
        return super()._load_data(name) if self._is_sealed(self._data_path(name)) else None

    @contextmanager
    def _open_for_write(self, filepath):
        contents = BytesIO()
        yield contents
        with super()._open_for_write(filepath) as file:
            file.write(contents.getvalue() + self._seal(contents.getvalue()))

    def _is_sealed(self, path: str) -> bool:
        try:
            contents = Path(path).read_bytes()
        except OSError:
            return False
        return contents[-DIGEST_BYTES:] == self._seal(contents[:-DIGEST_BYTES])

    def _seal(self, contents: bytes) -> bytes:
        return sha256(repr(self._source_stamp).encode() + contents).digest()
