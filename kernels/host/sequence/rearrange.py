"""Rows of sequences repeated, joined, reversed or cut differently."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD
from lite.plugin.kernel import Array, kernel, write
from lite.plugin.kernel.lod import (
    Lods,
    check_rows,
    need_counts,
    need_lod,
    offsets_of,
    rows_of,
    starts_and_lengths,
)


@kernel("sequence_expand")
def sequence_expand(X: Array, *, ref_level: int, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_expand: repeats each sequence of X by the length of Y's sequence.

    Without a LoD, each row of X is a sequence.
    """
    lod = need_counts("sequence_expand", "Y", lods["Y"][0])
    (x_lod,) = lods["X"]
    if not -1 <= ref_level < len(lod):
        raise ExecutionError(
            f"sequence_expand: ref_level: expected a level of Y's LoD {lod}, got {ref_level}"
        )
    _, times = starts_and_lengths(lod[ref_level])
    if len(times) == 0:
        return X, {"Out": [x_lod]}
    levels = need_lod("sequence_expand", "X", x_lod, len(X)) if x_lod else [range(len(X) + 1)]
    starts, lengths = starts_and_lengths(levels[0])
    _check_count("sequence_expand", len(starts), len(times))
    check_rows("sequence_expand", float(np.dot(lengths.astype(float), times)))
    check_rows("sequence_expand", float(times.sum(dtype=float)))
    starts, lengths = np.repeat(starts, times), np.repeat(lengths, times)
    return X[rows_of(starts, lengths)], {"Out": [(offsets_of(lengths),) if x_lod else NO_LOD]}


@kernel("sequence_expand_as")
def sequence_expand_as(X: Array, *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_expand_as: repeats each row of X by the length of Y's sequence, with Y's LoD."""
    lod = need_counts("sequence_expand_as", "Y", lods["Y"][0])
    _, times = starts_and_lengths(lod[0])
    _check_count("sequence_expand_as", len(X), len(times))
    check_rows("sequence_expand_as", float(times.sum(dtype=float)))
    return np.repeat(X, times, axis=0), {"Out": [(lod[0],)]}


def _check_count(op: str, count: int, expected: int) -> None:
    if count != expected:
        raise ExecutionError(f"{op}: X: expected {expected} sequences, as many as in Y, got {count}")


@kernel("sequence_concat")
def sequence_concat(X: list[Array], *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_concat: the first sequences of all inputs, then the second ones, and so on."""
    levels = [need_lod("sequence_concat", "X", lod, len(x))[0] for x, lod in zip(X, lods["X"], strict=True)]
    if len({len(level) for level in levels}) > 1:
        counts = [len(level) - 1 for level in levels]
        raise ExecutionError(f"sequence_concat: X: expected as many sequences in every input, got {counts}")
    rows = np.concatenate(X)
    bases = np.cumsum([0, *(len(x) for x in X[:-1])])
    parts = [starts_and_lengths(level) for level in levels]
    starts = np.stack([start + base for (start, _), base in zip(parts, bases, strict=True)], axis=1)
    lengths = np.stack([length for _, length in parts], axis=1)
    out = rows[rows_of(starts.reshape(-1), lengths.reshape(-1))]
    return out, {"Out": [(offsets_of(lengths.sum(axis=1)),)]}


@kernel("sequence_reshape")
def sequence_reshape(X: Array, *, new_dim: int, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_reshape: ``[T, D]`` as ``[T·D / new_dim, new_dim]``, with offsets in proportion."""
    (lod,) = lods["X"]
    level = need_counts("sequence_reshape", "X", lod)[0]
    depth = X.shape[1]
    if any(offset * depth % new_dim for offset in level):
        raise ExecutionError(
            f"sequence_reshape: new_dim: expected a divisor of {depth} times each offset in {level}, "
            f"got {new_dim}"
        )
    return X.reshape(-1, new_dim), {"Out": [(tuple(offset * depth // new_dim for offset in level),)]}


@kernel("sequence_reverse")
def sequence_reverse(X: Array, *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_reverse: the rows of each sequence in reverse order; rows in no sequence are kept."""
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_reverse", "X", lod, len(X))[-1])
    rows = rows_of(starts, lengths)
    source = np.arange(len(X))
    source[rows] = np.repeat(2 * starts + lengths - 1, lengths) - rows
    return X[source], {"Y": [lod]}


@kernel("reverse_sequence")
def reverse_sequence(
    X: Array, SequenceLens: Array, *, batch_axis: int, time_axis: int, out: Array | None = None
) -> Array:
    """ONNX ReverseSequence: X with the first SequenceLens[i] elements of sequence i in reverse order."""
    steps, lengths = np.arange(X.shape[time_axis]), SequenceLens
    batch = np.arange(X.shape[batch_axis])
    if batch_axis < time_axis:
        batch, lengths = batch[:, None], lengths[:, None]
    else:
        steps = steps[:, None]
    places = np.where(steps < lengths, lengths - 1 - steps, steps)
    index = (batch, places) if batch_axis < time_axis else (places, batch)
    axes = sorted((batch_axis, time_axis))
    # The elements after both axes are copied together.
    moved = np.moveaxis(np.moveaxis(X, axes, (0, 1))[index], (0, 1), axes)
    return np.ascontiguousarray(moved) if out is None else write(out, moved)


@kernel("lod_reset")
def lod_reset(
    X: Array,
    Y: Array | None,
    *,
    target_lod: list[int],
    append: bool,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle lod_reset: X with the LoD of Y or, without one, the offsets in Y's elements or `target_lod`.

    `append` keeps X's levels before the new one.
    """
    if Y is not None and lods["Y"][0]:
        return X, {"Out": [lods["Y"][0]]}
    level = tuple(target_lod) if Y is None else tuple(Y.reshape(-1).tolist())
    if len(level) < 2 or level[0] != 0 or any(a > b for a, b in pairwise(level)):
        raise ExecutionError(f"lod_reset: expected rising offsets from 0 on, got {list(level)}")
    return X, {"Out": [(*lods["X"][0], level) if append else (level,)]}
