"""Lengths for elements by index, and for borders."""

from __future__ import annotations

from collections.abc import Sequence

from lite.plugin.kernel import Array


def take_elements(
    x: None, index: None, out: None, failures: None, size: int, indices: int, width: int, count: int
) -> Sequence[int]:
    """`compiled.index.take_elements`."""
    outer = -(-count // max(indices, 1))
    return outer * size * width, count * width, count * width, 1


def pad_rows(
    x: None, out: None, rows: Array, columns: Array, value: float, width: int, inner: int, start: int,
    stop: int, out_width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.pad.pad_rows`."""
    last = int(rows[:count].max(initial=-1))
    return (last + 1) * width * inner, count * out_width * inner, count, out_width
