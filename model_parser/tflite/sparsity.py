"""Sparse constants: levels of dense and compressed axes, after TensorFlow Lite's SparsityParameters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.plugin.format.flatbuffer import Table

_DENSE, _COMPRESSED = 0, 1
_CODES = {1: "i", 2: "H", 3: "B"}
"""SparseIndexVector → type of its numbers."""

MAX_RATIO = 1000
"""The most elements of a dense array per stored value, above a million elements."""


def dense(values: Array, sizes: Sequence[int], table: Table) -> Array:
    """The array of shape `sizes` whose elements other than 0 are `values`.

    The axes are traversed in an order, the outer axes and then those inside of blocks.  A compressed axis
    has for each position of the axis before it a segment of its indices.
    Raises `ModelParseError` for indices that do not fit.
    """
    order = [int(axis) for axis in table.numbers(0, "i")]
    blocks = [int(axis) for axis in table.numbers(1, "i")]
    levels = table.tables(2)
    rank = len(sizes)
    if not rank:
        raise ModelParseError("expected a sparse tensor of rank 1 or more, got a scalar")
    if sorted(order) != list(range(rank + len(blocks))) or len(levels) != len(order):
        raise ModelParseError(f"expected an order of {rank + len(blocks)} axes and their levels, got {order}")
    if any(not 0 <= axis < rank for axis in blocks) or len(set(blocks)) < len(blocks):
        raise ModelParseError(f"expected blocks along different axes below {rank}, got {blocks}")
    if math.prod(sizes) > max(MAX_RATIO * values.size, 2**20):
        raise ModelParseError(f"expected at most {MAX_RATIO} elements per stored value, got {list(sizes)}")
    coordinates, block_sizes = _coordinates(levels, order, math.prod(sizes))
    result = np.zeros(sizes, values.dtype)
    if coordinates.shape[1] != values.size:
        raise ModelParseError(f"expected {coordinates.shape[1]} stored values, got {values.size}")
    index = []
    for axis, size in enumerate(sizes):
        position = coordinates[axis]
        if axis in blocks:
            inner = rank + blocks.index(axis)
            position = position * block_sizes[inner] + coordinates[inner]
        if position.size and not 0 <= position.min() <= position.max() < size:
            raise ModelParseError(f"expected indices below {size} on axis {axis}, got {position.max()}")
        index.append(position)
    result[tuple(index)] = values
    return result


def _coordinates(levels: Sequence[Table], order: Sequence[int], limit: int) -> tuple[Array, dict[int, int]]:
    """The coordinate of each stored value on each axis, and the sizes of the dense axes."""
    path = np.zeros(1, np.int64)
    coordinates: dict[int, Array] = {}
    sizes: dict[int, int] = {}
    for level, axis in zip(levels, order, strict=True):
        kind, size = level.integer(0, "b"), level.integer(1, "i")
        if kind == _DENSE:
            if size < 0 or path.size * size > max(limit, 1):
                raise ModelParseError(f"expected at most {limit} positions, got {path.size} · {size}")
            parents = np.repeat(np.arange(path.size), size)
            position = np.tile(np.arange(size), path.size)
            path = path[parents] * size + position
            sizes[axis] = size
        elif kind == _COMPRESSED:
            segments, indices = _index_vector(level, 2), _index_vector(level, 4)
            if path.size and path.max() + 1 >= segments.size:
                raise ModelParseError(f"expected {path.max() + 2} segments, got {segments.size}")
            counts = segments[path + 1] - segments[path]
            if counts.size and (counts.min() < 0 or counts.sum() > limit):
                raise ModelParseError(f"expected segments in order with at most {limit} indices")
            parents = np.repeat(np.arange(path.size), counts)
            starts = np.cumsum(counts) - counts
            path = segments[path][parents] + np.arange(parents.size) - starts[parents]
            if path.size and not 0 <= path.min() <= path.max() < indices.size:
                raise ModelParseError(f"expected segments of {indices.size} indices, got {path.max()}")
            position = indices[path]
        else:
            raise ModelParseError(f"expected a dense or compressed axis, got the number {kind}")
        coordinates = {other: array[parents] for other, array in coordinates.items()}
        coordinates[axis] = position
    return np.array([coordinates[axis] for axis in range(len(order))], np.int64).reshape(
        len(order), -1
    ), sizes


def _index_vector(level: Table, field: int) -> Array:
    code = _CODES.get(level.integer(field, "B"))
    vector = level.table(field + 1)
    if code is None or vector is None:
        raise ModelParseError("expected segments and indices of a compressed axis")
    return vector.numbers(0, code).astype(np.int64)
