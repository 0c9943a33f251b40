"""An index of the source files of a plug-in package: the words and registrations in each of them.

The index of a folder is kept in its ``__pycache__``, as Python keeps byte code there, and under the same
conditions.  Its first line is a checksum.  An entry is valid while the size and the time of its file are the
same.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lite.atomic_file import write_atomically

_WORD = re.compile(r"""["']([A-Za-z][\w.]*)["']""")
_TRAIT = re.compile(r"\bops_with\(Trait\.([A-Z_]+)\)")
_CALL = re.compile(r"(kernel_compiler|kernel|aot|bridge|device|model_parser|model_writer)\(")
_DEVICE = re.compile(r'@device\("(\w+)"\)')
_NAMES = re.compile(r"^    (\w+): ClassVar\[tuple\[str, \.\.\.\]\] = (\([^()]*\))$", re.MULTILINE)

_FORMAT = "a string of words for each field"

_PATTERNS = zlib.crc32(
    "\n".join([_FORMAT, *(each.pattern for each in (_WORD, _TRAIT, _CALL, _DEVICE, _NAMES))]).encode()
)
"""Begins the checksum of an index, so that one of another format or of other patterns is not used."""

_FILE = "plug-ins.index"
"""A name that no pattern of `package_data` matches, so that wheels do not contain it."""


class Source(NamedTuple):
    """A source file: its module below the package, and what its text holds, as words between spaces.

    `words` are the string literals that may be op types or devices, `traits` the names in
    ``ops_with(Trait.NAME)``, `calls` the registering functions that it calls, and `devices` the names that
    it registers.  `names` are its class variables that are tuples of strings.
    """

    module: str
    words: str
    traits: str
    calls: str
    devices: str
    names: Mapping[str, str]


_Scanned = tuple[str, str, str, str, dict[str, str]]
_Fields = tuple[int, int, _Scanned]
"""A file's size and time in nanoseconds, and the fields of its `Source` after the first."""


def sources(folder: Path) -> list[Source]:
    """The source files below a folder but ``__init__.py`` and generated ones, sorted by path."""
    kept, current, changed = _kept(folder), dict[str, _Fields](), False
    for path, size, time in sorted(python_files(str(folder))):
        name = path.rpartition("/")[2]
        if name == "__init__.py" or name.endswith("_pb2.py"):
            continue
        fields = kept.get(path)
        if fields is None or fields[0] != size or fields[1] != time:
            fields, changed = (size, time, _scanned(folder / path)), True
        current[path] = fields
    if changed or current.keys() != kept.keys():
        _keep(folder, current)
    return [
        Source(path.removesuffix(".py").replace("/", "."), *scanned)
        for path, (_, _, scanned) in current.items()
    ]


def python_files(folder: str, prefix: str = "") -> Iterator[tuple[str, int, int]]:
    """The path below a folder, the size and the time in nanoseconds of each Python file.

    Every start walks through hundreds of files this way.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(".py"):
                status = entry.stat()
                yield prefix + name, status.st_size, status.st_mtime_ns
            elif name != "__pycache__" and entry.is_dir():
                yield from python_files(entry.path, f"{prefix}{name}/")


def _scanned(path: Path) -> _Scanned:
    text = path.read_text(encoding="utf-8")
    words, traits, calls, devices = (
        " ".join(sorted(set(pattern.findall(text)))) for pattern in (_WORD, _TRAIT, _CALL, _DEVICE)
    )
    names = {name: " ".join(ast.literal_eval(value)) for name, value in _NAMES.findall(text)}
    return words, traits, calls, devices, names


def _index_file(folder: Path) -> Path:
    return folder / "__pycache__" / _FILE


def _kept(folder: Path) -> dict[str, _Fields]:
    """The kept index; empty without one, or if it is damaged."""
    try:
        checksum, _, text = _index_file(folder).read_bytes().partition(b"\n")
        if checksum != _checksum(text):
            return {}
        content: dict[str, _Fields] = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) and all(map(_is_whole, content.values())) else {}


def _is_whole(fields: object) -> bool:
    """Whether an entry has all fields; the checksum says that they are as they were written."""
    return (
        isinstance(fields, list)
        and len(fields) == 3
        and isinstance(fields[2], list)
        and len(fields[2]) == len(Source._fields) - 1
    )


def _keep(folder: Path, index: dict[str, _Fields]) -> None:
    if sys.dont_write_bytecode or sys.pycache_prefix is not None:
        return
    # Without the file, the next process reads the sources again.
    with contextlib.suppress(OSError):
        path = _index_file(folder)
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(index, separators=(",", ":")).encode()
        write_atomically(path, [_checksum(text), b"\n", text])


def _checksum(text: bytes) -> bytes:
    return f"{zlib.crc32(text, _PATTERNS):08x}".encode()
