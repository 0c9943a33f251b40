"""Scratch memory: memory for intermediate results that a kernel requests when it is prepared.

The kernels of a model run one after the other, so all of them use the same memory, which is as large as the
largest total of one kernel's requests.  Its contents are undefined when a kernel starts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array

ALIGNMENT = 64
"""Bytes of a cache line: each request begins on one."""


class Scratch:
    """One request; `array` has the requested shape and dtype while the kernel runs.

    The next run may use another array, so a kernel keeps the `Scratch` and reads `array` in each run.
    """

    __slots__ = ("array", "dtype", "shape")

    array: Array

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype

    @property
    def size(self) -> int:
        """Bytes, rounded up to a multiple of `ALIGNMENT`."""
        return -(-math.prod(self.shape) * self.dtype.itemsize // ALIGNMENT) * ALIGNMENT


class ScratchRequests:
    """The requests of one kernel; each begins where the one before it ends."""

    def __init__(self) -> None:
        self._requests: list[Scratch] = []

    def __len__(self) -> int:
        return len(self._requests)

    @property
    def size(self) -> int:
        """Bytes of all requests together."""
        return sum(request.size for request in self._requests)

    def add(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Scratch:
        """A further request, which has an array after `place`."""
        request = Scratch(tuple(shape), dtype)
        self._requests.append(request)
        return request

    def place(self, memory: Array) -> None:
        """Give each request its part of `memory`, ``uint8[size]`` or more, which begins on a cache line."""
        begin = 0
        for request in self._requests:
            used = math.prod(request.shape) * request.dtype.itemsize
            request.array = memory[begin : begin + used].view(request.dtype).reshape(request.shape)
            begin += request.size


def standalone_scratch(shape: Sequence[int], dtype: np.dtype[Any]) -> Scratch:
    """A request with memory of its own, for a kernel that is prepared outside any plan."""
    request = Scratch(tuple(shape), dtype)
    request.array = np.empty(request.shape, dtype)
    return request
