"""Room for what a kernel computes on its way: asked for when it is prepared, there whenever it runs.

The kernels of a model run one after the other, so all of them use the same memory, which is as large as
the largest of their requests together.  What lies there before a run of the kernel is anything.
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
    """One request; `array` has the shape and dtype that were asked for and is there when the kernel runs.

    It may be another array in the next run, so a kernel keeps the `Scratch` and takes the array anew.
    """

    __slots__ = ("array", "dtype", "shape")

    array: Array

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype

    @property
    def size(self) -> int:
        """Bytes, up to a multiple of `ALIGNMENT`."""
        return -(-math.prod(self.shape) * self.dtype.itemsize // ALIGNMENT) * ALIGNMENT


class ScratchRequests:
    """What one kernel asks for; its requests lie one behind the other."""

    def __init__(self) -> None:
        self._requests: list[Scratch] = []

    def __len__(self) -> int:
        return len(self._requests)

    @property
    def size(self) -> int:
        """Bytes of all requests together."""
        return sum(request.size for request in self._requests)

    def add(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Scratch:
        """A further request, whose array is there after `place`."""
        request = Scratch(tuple(shape), dtype)
        self._requests.append(request)
        return request

    def place(self, room: Array) -> None:
        """Put the arrays into `room`: bytes that begin on a cache line, at least `size` of them."""
        begin = 0
        for request in self._requests:
            used = math.prod(request.shape) * request.dtype.itemsize
            request.array = room[begin : begin + used].view(request.dtype).reshape(request.shape)
            begin += request.size


def standalone_scratch(shape: Sequence[int], dtype: np.dtype[Any]) -> Scratch:
    """A request with memory of its own, for a kernel that is prepared outside any plan."""
    request = Scratch(tuple(shape), dtype)
    request.array = np.empty(request.shape, dtype)
    return request
