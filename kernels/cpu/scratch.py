"""Room for intermediate results of unknown size: one buffer per thread, as large as the largest request."""

from __future__ import annotations

import threading

import numpy as np

from lite.plugin.kernel import Array


class _Room(threading.local):
    def __init__(self) -> None:
        self.buffer: Array = np.empty(0, np.float32)


_room = _Room()


def scratch(size: int) -> Array:
    """A buffer of at least `size` elements of float32; its contents last until the thread asks again."""
    if _room.buffer.size < size:
        _room.buffer = np.empty(size, np.float32)
    return _room.buffer
