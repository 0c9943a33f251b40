"""Which files make a PNNX model, and their bytes; every failure is a `ModelParseError` with the path."""

from __future__ import annotations

import mmap
from pathlib import Path

from lite.errors import ModelParseError

Buffer = bytes | mmap.mmap

MAX_TEXT = 2**28
"""No operator list is longer."""


def find_param(path: Path) -> Path:
    """The operator list: `path` itself, or the only one in a directory."""
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.pnnx.param"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found[:10]) or "none"
        raise ModelParseError(f"{path}: expected one *.pnnx.param file, got {names}; name it as model_file")
    return found[0]


def find_bin(param: Path) -> Path | None:
    """The weights beside an operator list, under its name with ``.bin``; None where there are none."""
    name = f"{param.name.removesuffix('.param')}.bin"
    return param.with_name(name) if param.with_name(name).is_file() else None


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        if path.stat().st_size > MAX_TEXT:
            raise ModelParseError(f"{path}: {path.stat().st_size} bytes, expected at most {MAX_TEXT}")
        return decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check the path") from error


def decoded(data: bytes, source: str) -> str:
    """Bytes as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelParseError(f"{source}: not text: byte {error.start} is not UTF-8") from None


def map_file(path: Path) -> Buffer:
    """The file, mapped read-only: bytes come from the disk when they are touched."""
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) == 0:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check the path") from error
    except ValueError:
        raise ModelParseError(f"{path}: was emptied while it was opened; load it again") from None
