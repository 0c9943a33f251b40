"""Lengths for elements by index, and for borders."""

from __future__ import annotations

from collections.abc import Sequence

from lite.plugin.kernel import Array

FAILURES = 3
"""Numbers in which a function notes an index that is outside: a 1, the index, and its axis."""


def take_elements(
    x: None, index: None, out: None, failures: None, size: int, indices: int, width: int, count: int
) -> Sequence[int]:
    """`compiled.index.take_elements`."""
    outer = -(-count // max(indices, 1))
    return outer * size * width, count * width, count * width, FAILURES


def take_slices(
    x: None, index: None, out: None, failures: None, size: int, indices: int, width: int, lowest: int,
    padding: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.index.take_slices`."""
    outer = -(-count // max(indices, 1))
    return outer * size * width, min(indices, count), count * width, FAILURES


def take_nd(
    x: None, index: None, out: None, failures: None, sizes: Array, depth: int, slices: int, indices: int,
    width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.index.take_nd`."""
    outer = -(-count // max(indices, 1))
    return outer * slices * width, count * depth, count * width, FAILURES, depth


def put_nd(
    x: None, index: None, updates: None, out: None, failures: None, sizes: Array, depth: int, slices: int,
    indices: int, width: int, how: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.index.put_nd`."""
    return slices * width, indices * depth, indices * width, slices * width, FAILURES, depth


def put_elements(
    x: None, index: None, updates: None, out: None, failures: None, size: int, indices: int, width: int,
    outer: int, how: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.index.put_elements`."""
    elements, updated = count * size * width, min(outer, count) * indices * width
    return elements, updated, updated, elements, FAILURES


def pad_rows(
    x: None, out: None, rows: Array, columns: Array, value: float, width: int, inner: int, start: int,
    stop: int, out_width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.pad.pad_rows`."""
    last = int(rows[:count].max(initial=-1))
    return (last + 1) * width * inner, count * out_width * inner, count, out_width
