"""Device models that consist of files: a zip that is read with checks, as a stranger may have made it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import PurePosixPath

MOST_BYTES = 1 << 30
"""The most bytes of all files that are decompressed; files may be stored without compression beyond it."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


def read_files(blob: bytes) -> dict[str, bytes]:
    """The files of a zip by relative path; a path that ends with ``/`` is an empty folder.

    Raises `ValueError` for other bytes, for damage, for paths outside of a folder, and for compressed
    files that are larger than `MOST_BYTES` together.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            infos = archive.infolist()
            size = sum(info.file_size for info in infos)
            if size > max(MOST_BYTES, len(blob)):
                raise ValueError(f"its files have {size} bytes, at most {MOST_BYTES} are decompressed")
            for info in infos:
                check_inside(info.filename)
            return {info.filename: archive.read(info) for info in infos}
    except _DAMAGE as error:
        raise ValueError(f"{type(error).__name__}: {error}" if not str(error) else str(error)) from error


def check_inside(path: str) -> None:
    """Raise `ValueError` unless a path of a device's file lies in the folder that it is relative to."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or ":" in path or "\0" in path:
        raise ValueError(f"the file {path[:80]!r} lies outside of the folder of its model")
