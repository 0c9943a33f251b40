"""Which part of which file an array shows that is mapped into memory."""

from __future__ import annotations

import bisect
import os
from dataclasses import dataclass
from pathlib import Path

from lite.ir.types import Array

_MAPS = Path("/proc/self/maps")


@dataclass(frozen=True)
class Stamp:
    """What changes when a file does: size, times in nanoseconds, and which file it is."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: str) -> Stamp | None:
        """The stamp of a file as it is now; None where there is none."""
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return None
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)

    @property
    def changed_ns(self) -> int:
        """When the file was changed last."""
        return max(self.mtime_ns, self.ctime_ns)


@dataclass(frozen=True)
class Slice:
    """Bytes of a file: `offset` is their first one's."""

    path: str
    stamp: Stamp
    offset: int
    size: int


@dataclass(frozen=True)
class _Mapping:
    start: int
    end: int
    offset: int
    inode: int
    path: str


class MappedFiles:
    """The files that this process had mapped, without writing to them, when this was made.

    The kernel tells it on Linux; elsewhere no array is known to come from a file.
    """

    def __init__(self) -> None:
        try:
            text = os.fsdecode(_MAPS.read_bytes())
        except OSError:
            text = ""
        self._mappings = [found for line in text.splitlines() if (found := _mapping(line)) is not None]
        self._starts = [mapping.start for mapping in self._mappings]
        self._stamps: dict[str, Stamp | None] = {}

    def find(self, array: Array) -> Slice | None:
        """Where the bytes of a contiguous array lie in a file; None when they do not, or it was replaced."""
        if not array.flags.c_contiguous:
            return None
        start: int = array.__array_interface__["data"][0]
        number = bisect.bisect_right(self._starts, start) - 1
        if number < 0:
            return None
        mapping = self._mappings[number]
        if start + array.nbytes > mapping.end:
            return None
        if mapping.path not in self._stamps:
            self._stamps[mapping.path] = Stamp.of(mapping.path)
        stamp = self._stamps[mapping.path]
        if stamp is None or stamp.inode != mapping.inode:
            return None
        return Slice(mapping.path, stamp, mapping.offset + start - mapping.start, array.nbytes)


def _mapping(line: str) -> _Mapping | None:
    """A line ``start-end rights offset device inode path`` of a file that is read only."""
    fields = line.split(maxsplit=5)
    if len(fields) < 6 or "w" in fields[1] or fields[4] == "0":
        return None
    start, end = (int(address, 16) for address in fields[0].split("-"))
    return _Mapping(start, end, int(fields[2], 16), int(fields[4]), fields[5].replace(r"\012", "\n"))
