"""Lengths for sorting and searching."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.tile_sizes import LANES


def top_k_rows(
    x: None, values: None, indices: None, size: int, kept: int, smallest: int, count: int
) -> Sequence[int]:
    """`compiled.sorting.top_k.top_k_rows`."""
    return count * size, count * kept, count * kept


def top_k_by_blocks(
    x: None, values: None, indices: None, keys: None, size: int, kept: int, smallest: int, count: int
) -> Sequence[int]:
    """`compiled.sorting.top_k.top_k_by_blocks`."""
    return count * size, count * kept, count * kept, 2 * kept


def top_k_by_digits(
    x: None, values: None, indices: None, keys: None, size: int, kept: int, smallest: int, count: int
) -> Sequence[int]:
    """`compiled.sorting.top_k.top_k_by_digits`."""
    return count * size, count * kept, count * kept, 2 * size + 4 * DIGITS


def top_k_of_elements(
    x: None, values: None, indices: None, ranks: None, size: int, kept: int, smallest: int, kind: int,
    bytes_each: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.top_k.top_k_of_elements`."""
    return count * size * bytes_each, count * kept * bytes_each, count * kept, kept


def top_k_columns(
    x: None, values: None, indices: None, best: None, size: int, columns: int, kept: int, smallest: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.top_k_columns.top_k_columns`."""
    matrices = count // -(-columns // LANES)
    outputs = matrices * kept * columns
    return matrices * size * columns, outputs, outputs, 2 * (kept + 1) * LANES


def arg_best(
    x: None, out: None, best: None, size: int, columns: int, smallest: int, count: int
) -> Sequence[int]:
    """`compiled.sorting.arg_best.arg_best`."""
    matrices = count // max(-(-columns // CHUNK), 1)
    return matrices * size * columns, matrices * columns, 2 * CHUNK


def arg_best_of_rows(x: None, out: None, best: None, size: int, smallest: int, count: int) -> Sequence[int]:
    """`compiled.sorting.arg_best.arg_best_of_rows`."""
    return count * size, count, 4 * LANES


def arg_best_of_short_rows(
    x: None, out: None, best: None, rows: int, size: int, smallest: int, count: int
) -> Sequence[int]:
    """`compiled.sorting.arg_best.arg_best_of_short_rows`."""
    return rows * size, rows, (LANES + 1) * LANES


def mark_places(places: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.sorting.arg_best.mark_places`."""
    return count, count * size


DIGITS = 256
"""The counters of `top_k_by_digits` for each of four digits."""

CHUNK = 1024
"""Columns of a work item of `arg_best`."""
