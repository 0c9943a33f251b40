"""Sequences of rows on axis 0, cut by a level of detail (LoD): a tuple of offsets per level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.plugin.kernel import Array

Lods = Mapping[str, Sequence[Lod]]
"""The LoDs of inputs or outputs by slot."""


MAX_ROWS = 1 << 26
"""The most rows of a result that repeats or pads sequences: a model may set the LoD."""


def need_lod(op: str, slot: str, lod: Lod, rows: int) -> Lod:
    """`lod` of an input with `rows` rows, for an op that needs one.

    Raises `ExecutionError` where it is empty, or has offsets beyond the rows or the next level.
    """
    if not lod or not lod[-1]:
        raise ExecutionError(
            f"{op}: input {slot} has no LoD; expected offsets such as [[0, 2, 5]], see set_lod"
        )
    # Levels need not be nested: those of match_matrix_tensor count elements, and rows of its inputs.
    ends = [*(max(len(level) - 1, rows) for level in lod[1:]), rows]
    for level, end in zip(lod, ends, strict=True):
        if level and max(level) > end:
            raise ExecutionError(f"{op}: input {slot}: LoD: expected offsets up to {end}, got {max(level)}")
    return lod


def need_counts(op: str, slot: str, lod: Lod) -> Lod:
    """`lod` of an input whose rows are not read: only the lengths of its sequences count."""
    return need_lod(op, slot, lod, max((max(level, default=0) for level in lod), default=0))


def numbers_of_rows(op: str, counts: Array, rows: int) -> Array:
    """For each row the number of its image, as `counts` has the rows of each; raises beyond `rows`."""
    if counts.sum(dtype=np.int64) > rows:
        raise ExecutionError(f"{op}: expected numbers of {rows} rows, got {counts.tolist()}")
    return np.repeat(np.arange(len(counts)), counts)


def check_rows(op: str, rows: float) -> None:
    """Raise `ExecutionError` for a result of more than `MAX_ROWS` rows."""
    if rows > MAX_ROWS:
        raise ExecutionError(f"{op}: expected a result of at most {MAX_ROWS:,} rows, got {rows:,.0f}")


def starts_and_lengths(level: Sequence[int]) -> tuple[Array, Array]:
    """First row and number of rows of each sequence, 0 rows where an offset is below the previous one."""
    offsets = np.array(level, np.intp)
    return offsets[:-1], np.maximum(np.diff(offsets), 0)


def in_rows(lod: Lod, level: int) -> tuple[int, ...]:
    """The offsets of a level in rows; the stored offsets of an outer level count sequences of the next."""
    offsets = lod[level]
    for inner in lod[level:][1:] if level >= 0 else lod[len(lod) + level + 1 :]:
        offsets = tuple(inner[offset] for offset in offsets)
    return offsets


def offsets_of(lengths: Iterable[int]) -> tuple[int, ...]:
    """The offsets of sequences of these lengths."""
    return (0, *np.cumsum(np.array(list(lengths), np.int64)).tolist())


def rows_of(starts: Array, lengths: Array) -> Array:
    """The row numbers of all sequences, one sequence after another, each counted up from its start."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def longest_first(level: tuple[int, ...]) -> Array:
    """The numbers of the sequences, in order of falling length."""
    return np.argsort(-starts_and_lengths(level)[1], kind="stable")


def steps(level: tuple[int, ...], reverse: bool) -> Iterator[Array]:
    """For each step the rows of the sequences that have one, in the order of `longest_first`."""
    starts, lengths = starts_and_lengths(level)
    order = longest_first(level)
    starts, lengths = starts[order], lengths[order]
    for step in range(int(lengths.max(initial=0))):
        count = int(np.count_nonzero(lengths > step))
        yield starts[:count] + (lengths[:count] - 1 - step if reverse else step)
