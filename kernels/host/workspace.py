"""Room to work in: a vector, cut into arrays one behind the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lite.plugin.kernel import Array

_LINE = 16
"""Elements of a cache line of float32: each array begins on one."""


def elements(*shapes: Sequence[int]) -> int:
    """How long a vector must be for arrays of these shapes."""
    return sum(_rounded(shape) for shape in shapes)


def cut(room: Array, *shapes: Sequence[int]) -> Iterator[Array]:
    """Arrays of these shapes in `room`."""
    begin = 0
    for shape in shapes:
        yield room[begin : begin + math.prod(shape)].reshape(shape)
        begin += _rounded(shape)


def _rounded(shape: Sequence[int]) -> int:
    return -(-math.prod(shape) // _LINE) * _LINE
