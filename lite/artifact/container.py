"""Reads the zip of an artifact: a map of names to bytes, after its structure was checked."""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import BinaryIO, cast

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.plugin.format import FileContent

MOST_MEMBERS = 100_000
MOST_NAME = 240

_LOCAL_SIZE = 30
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*")
_START = b"PK\x03\x04"


@dataclass(frozen=True)
class Container:
    """The members of an artifact by name: views of its content.  `source` names it in messages."""

    source: str
    members: Mapping[str, memoryview]

    @classmethod
    def open(cls, content: FileContent, source: str) -> Container:
        """Check the structure of a zip; raises `ModelParseError`.

        Members are stored uncompressed under unique relative names, one directly after the other.
        Their checksums are not compared; see `verify` of the metadata.
        """
        try:
            # A mapped file is read like any other one; of bytes, io makes no copy.
            file = io.BytesIO(content) if isinstance(content, bytes) else cast("BinaryIO", content)
            with zipfile.ZipFile(file) as archive:
                infos, directory = archive.infolist(), archive.start_dir
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            ValueError,
            OSError,
            struct.error,
            KeyError,
        ) as error:
            raise ModelParseError(
                f"{source}: the artifact is damaged or incomplete: {error}; copy or build it again"
            ) from error
        try:
            return cls(source, _members(memoryview(content), infos, directory))
        except _DamageError as error:
            raise ModelParseError(f"{source}: the artifact is damaged: {error}") from error

    def read(self, name: str) -> memoryview:
        """The bytes of a member; raises `ModelParseError` where it is missing."""
        if name not in self.members:
            raise ModelParseError(f"{self.source}: the artifact is damaged: it has no member {name}")
        return self.members[name]


def sha256(content: bytes | memoryview) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


class _DamageError(ValueError):
    """A rule of the structure that a file breaks."""


def _members(content: memoryview, infos: list[zipfile.ZipInfo], directory: int) -> dict[str, memoryview]:
    """The members, which fill the file up to the byte `directory`, so that no header misplaces its data."""
    if not 0 < len(infos) <= MOST_MEMBERS:
        raise _DamageError(f"it has {len(infos)} members, expected 1 to {MOST_MEMBERS}")
    members: dict[str, memoryview] = {}
    end = 0
    for info in sorted(infos, key=lambda each: each.header_offset):
        name = info.filename
        if len(name) > MOST_NAME or not _NAME.fullmatch(name):
            raise _DamageError(f"a member has the name {name[:MOST_NAME]!r}, expected a relative path")
        if name in members:
            raise _DamageError(f"member {name} is there twice")
        if (
            info.compress_type != zipfile.ZIP_STORED
            or info.compress_size != info.file_size
            or info.flag_bits & 1
        ):
            raise _DamageError(f"member {name} is compressed or encrypted; members are stored as they are")
        start = _data_start(content, info)
        if info.header_offset != end:
            raise _DamageError(f"member {name} overlaps another one, or other data lies before it")
        end = start + info.file_size
        if end > len(content):
            raise _DamageError(f"member {name} ends at byte {end} of {len(content)}")
        members[name] = content[start:end]
    if end != directory:
        raise _DamageError(f"the members end at byte {end}, and their directory starts at byte {directory}")
    return members


def _data_start(content: memoryview, info: zipfile.ZipInfo) -> int:
    """Where the data of a member starts; its local header must name it, too."""
    header = bytes(content[info.header_offset : info.header_offset + _LOCAL_SIZE])
    if len(header) < _LOCAL_SIZE or not header.startswith(_START):
        raise _DamageError(f"member {info.filename} has no header at byte {info.header_offset}")
    name_size, extra_size = (int(size) for size in struct.unpack_from("<HH", header, 26))
    start = info.header_offset + _LOCAL_SIZE
    if bytes(content[start : start + name_size]) != info.filename.encode():
        raise _DamageError(f"the header at byte {info.header_offset} does not name member {info.filename}")
    return start + name_size + extra_size
