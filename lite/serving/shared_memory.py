"""System shared memory regions that clients register, to pass tensors without the network."""

from __future__ import annotations

import os
import re
import stat
import threading
from pathlib import Path

from lite.dataclass import dataclass
from lite.serving.protocol.messages import MemoryRange
from lite.serving.protocol.status import RequestError, Status, bad_request

_FOLDER = Path("/dev/shm")
"""Where Linux has the regions of shm_open."""

_KEY = re.compile(r"/?[A-Za-z0-9_.-]{1,200}")
_MOST_REGIONS = 256


@dataclass(frozen=True)
class Region:
    """A registered region: the part of a shared memory object from `offset` on."""

    name: str
    key: str
    offset: int
    size: int
    descriptor: int


class SharedMemory:
    """The registered regions; refuses everything unless it is `enabled`.

    Only objects that the server's own user owns are opened.  They are read and written by system calls and
    not mapped: a client that shortens an object cannot crash the server.
    """

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self._regions: dict[str, Region] = {}
        self._lock = threading.Lock()

    def register(self, name: str, key: str, offset: int, size: int) -> None:
        """Open an object; raises `RequestError` for a bad key, owner or size, and for a name in use."""
        self._require_enabled()
        if not _KEY.fullmatch(key) or key.strip("/.") == "":
            raise bad_request(f"shared memory key {key[:80]!r}: expected a name such as /region")
        if not name or offset < 0 or size <= 0:
            raise bad_request("a shared memory region needs a name, an offset of 0 or more and a size")
        with self._lock:
            if name in self._regions:
                raise bad_request(f"shared memory region {name[:80]!r} is registered already")
            if len(self._regions) >= _MOST_REGIONS:
                raise RequestError(Status.BUSY, f"{_MOST_REGIONS} shared memory regions are registered")
            self._regions[name] = Region(name, key, offset, size, _open(key, offset + size))

    def unregister(self, name: str) -> None:
        """Close a region, or all for an empty name; an unknown name is ignored, as in Triton."""
        self._require_enabled()
        with self._lock:
            for each in list(self._regions) if not name else [name]:
                region = self._regions.pop(each, None)
                if region is not None:
                    os.close(region.descriptor)

    def close(self) -> None:
        """Close all regions."""
        with self._lock:
            for region in self._regions.values():
                os.close(region.descriptor)
            self._regions.clear()

    def status(self, name: str = "") -> list[Region]:
        """The regions, or the one of a name; raises `RequestError` for an unknown name."""
        with self._lock:
            if not name:
                return list(self._regions.values())
            return [self._region(name)]

    def read(self, part: MemoryRange) -> bytes:
        """The bytes of a part of a region; raises `RequestError` for a part outside of it."""
        self._require_enabled()
        with self._lock:
            region = self._checked(part)
            data = os.pread(region.descriptor, part.size, region.offset + part.offset)
        if len(data) != part.size:
            raise bad_request(f"shared memory region {part.region!r} has become shorter")
        return data

    def write(self, part: MemoryRange, data: bytes | memoryview) -> None:
        """Write into a part of a region; raises `RequestError` if it does not fit."""
        self._require_enabled()
        with self._lock:
            region = self._checked(part)
            if len(data) > part.size:
                raise bad_request(
                    f"shared memory region {part.region!r}: the output has {len(data)} bytes, got space for "
                    f"{part.size}"
                )
            if os.fstat(region.descriptor).st_size < region.offset + part.offset + len(data):
                raise bad_request(f"shared memory region {part.region!r} has become shorter")
            os.pwrite(region.descriptor, data, region.offset + part.offset)

    def _require_enabled(self) -> None:
        if not self.enabled:
            raise RequestError(
                Status.BAD_REQUEST, "shared memory is off; start the server with --client-shared-memory"
            )

    def _region(self, name: str) -> Region:
        region = self._regions.get(name)
        if region is None:
            raise RequestError(Status.BAD_REQUEST, f"unknown shared memory region {name[:80]!r}")
        return region

    def _checked(self, part: MemoryRange) -> Region:
        region = self._region(part.region)
        if part.offset + part.size > region.size:
            raise bad_request(
                f"shared memory region {part.region!r} has {region.size} bytes; bytes {part.offset} to "
                f"{part.offset + part.size} are outside"
            )
        return region


def _open(key: str, size: int) -> int:
    path = _FOLDER / key.lstrip("/")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise bad_request(f"shared memory key {key!r} cannot be opened: {error.strerror}") from error
    state = os.fstat(descriptor)
    problem = ""
    if state.st_uid != os.geteuid() or not stat.S_ISREG(state.st_mode):
        problem = "is not an object of the server's user"
    elif state.st_size < size:
        problem = f"has {state.st_size} bytes, got an end at {size}"
    if problem:
        os.close(descriptor)
        raise bad_request(f"shared memory key {key!r} {problem}")
    return descriptor
