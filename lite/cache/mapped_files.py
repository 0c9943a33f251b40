"""Finds the slice of a mapped file that an array shows."""

from __future__ import annotations

import bisect
import os
from pathlib import Path

from lite.dataclass import dataclass
from lite.ir.types import Array

_MAPS = Path("/proc/self/maps")


@dataclass(frozen=True)
class Stamp:
    """The identity and state of a file: size in bytes, times in nanoseconds, inode and device."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: str) -> Stamp | None:
        """The present stamp of a file; None where there is no file."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)

    @property
    def changed_ns(self) -> int:
        """When the file was last changed."""
        return max(self.mtime_ns, self.ctime_ns)


@dataclass(frozen=True)
class FileSlice:
    """`size` bytes of a file from `offset` on."""

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
    """The files that this process has mapped read-only at the time of construction.

    The list comes from Linux' ``/proc/self/maps``; elsewhere it is empty.
    """

    def __init__(self) -> None:
        try:
            text = os.fsdecode(_MAPS.read_bytes())
        except OSError:
            text = ""
        mappings = map(_parse_mapping, text.splitlines())
        self._mappings = [mapping for mapping in mappings if mapping is not None]
        self._starts = [mapping.start for mapping in self._mappings]
        self._stamps: dict[str, Stamp | None] = {}

    def find(self, array: Array) -> FileSlice | None:
        """The slice that a contiguous array shows; None for other memory, or if the file was replaced."""
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
        return FileSlice(mapping.path, stamp, mapping.offset + start - mapping.start, array.nbytes)


def _parse_mapping(line: str) -> _Mapping | None:
    """A line ``start-end permissions offset device inode path``; None unless it maps a file read-only."""
    fields = line.split(maxsplit=5)
    if len(fields) < 6 or "w" in fields[1] or fields[4] == "0":
        return None
    start, end = (int(address, 16) for address in fields[0].split("-"))
    return _Mapping(start, end, int(fields[2], 16), int(fields[4]), fields[5].replace(r"\012", "\n"))
