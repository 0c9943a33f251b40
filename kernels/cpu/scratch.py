"""Room for intermediate results: one buffer per thread, as large as the largest request so far."""

from __future__ import annotations

import threading

import numpy as np

from lite.plugin.kernel import Array

_ALIGNED = 16
"""Elements of a cache line."""


class _Room(threading.local):
    def __init__(self) -> None:
        self.buffer: Array = np.empty(0, np.float32)


_room = _Room()


def scratch(size: int) -> Array:
    """A buffer of at least `size` elements of float32; its contents last until the thread asks again."""
    found = _room.buffer
    if found.size < size:
        raw = np.empty(size + _ALIGNED, np.float32)
        skip = -raw.ctypes.data // raw.itemsize % _ALIGNED
        found = _room.buffer = raw[skip : skip + size]
    return found
