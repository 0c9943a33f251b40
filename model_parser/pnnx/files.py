"""The files of a model and their bytes; every failure is a `ModelParseError` that names the path."""

from __future__ import annotations

import mmap
from pathlib import Path

from lite.errors import ModelParseError
from lite.plugin.format import map_regular, open_regular

Buffer = bytes | mmap.mmap

MAGIC = b"7767517"
"""The first line of an operator list."""

MAX_TEXT = 2**28
"""The largest operator list that is read, in bytes."""


def looks_like_param(prefix: bytes) -> bool:
    """Whether the bytes begin like a ``.pnnx.param`` file."""
    words = prefix.removeprefix(b"\xef\xbb\xbf").lstrip()
    return words.startswith(MAGIC) and words[len(MAGIC) : len(MAGIC) + 1].isspace()


def find_param(path: Path) -> Path:
    """The operator list: `path` itself, or the only one in the directory `path`."""
    if not path.is_dir():
        return path
    files = sorted(path.glob("*.pnnx.param"))
    if len(files) != 1:
        names = ", ".join(file.name for file in files[:10]) or "none"
        raise ModelParseError(f"{path}: expected one *.pnnx.param file, got {names}; name it as model_file")
    return files[0]


def find_bin(param: Path) -> Path | None:
    """The archive beside an operator list, of its name with ``.bin``, or None."""
    name = f"{param.name.removesuffix('.param')}.bin"
    return param.with_name(name) if param.with_name(name).is_file() else None


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        with open_regular(path) as file:
            content = file.read(MAX_TEXT + 1)
        if len(content) > MAX_TEXT:
            raise ModelParseError(f"{path}: {path.stat().st_size} bytes, expected at most {MAX_TEXT}")
        return decode(content, str(path))
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check the path") from error


def decode(data: bytes, source: str) -> str:
    """Bytes as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelParseError(f"{source}: expected text, but byte {error.start} is not UTF-8") from None


def map_file(path: Path) -> Buffer:
    """The file, mapped or copied as `map_regular` does."""
    try:
        return map_regular(path)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check the path") from error
