"""Workspaces of kernels: one vector in memory, divided into arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lite.plugin.kernel import Array

_LINE = 16
"""The number of float32 elements in a cache line of 64 bytes: each array begins at a multiple of it."""


def elements(*shapes: Sequence[int]) -> int:
    """The length of a workspace that holds arrays of these shapes."""
    return sum(_rounded(shape) for shape in shapes)


def cut(workspace: Array, *shapes: Sequence[int]) -> Iterator[Array]:
    """Arrays of these shapes in `workspace`, one after another."""
    begin = 0
    for shape in shapes:
        yield workspace[begin : begin + math.prod(shape)].reshape(shape)
        begin += _rounded(shape)


def _rounded(shape: Sequence[int]) -> int:
    return -(-math.prod(shape) // _LINE) * _LINE
