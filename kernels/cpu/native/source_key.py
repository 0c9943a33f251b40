"""A hash of this target's sources, which decides whether kept machine code is theirs.

To read all of them takes 3 ms of each start.  So the hash is kept in ``__pycache__``, as Python keeps byte
code there, and under the same conditions: it is valid while names, sizes and times of the files are the same.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sys
from pathlib import Path

from lite.atomic_file import write_atomically
from lite.plugin.source_index import python_files

SOURCES = Path(__file__).parent.parent

_FILE = "sources.key"
"""A name that no pattern of `package_data` matches, so that wheels do not contain it."""


@functools.cache
def source_key(folder: Path = SOURCES) -> str:
    """SHA-256 of the Python files below a folder, in hexadecimal digits."""
    files = sorted(python_files(str(folder)))
    stamp = hashlib.sha256(repr(files).encode()).hexdigest()
    kept = folder / "__pycache__" / _FILE
    with contextlib.suppress(OSError, ValueError):
        known, key, check = kept.read_text(encoding="ascii").split()
        if known == stamp and check == _check(stamp, key):
            return key
    digest = hashlib.sha256()
    for path, _, _ in files:
        digest.update((folder / path).read_bytes())
    key = digest.hexdigest()
    if not sys.dont_write_bytecode and sys.pycache_prefix is None:
        # Without the file, the next process reads the sources again.
        with contextlib.suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            write_atomically(kept, [f"{stamp} {key} {_check(stamp, key)}\n".encode()])
    return key


def _check(stamp: str, key: str) -> str:
    """A checksum of the line, which finds damage."""
    return hashlib.sha256(f"{stamp} {key}".encode()).hexdigest()[:8]
