"""sequence_expand and sequence_expand_as on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD, Lod
from lite.kernels.host.sequence.lod import need_lod, offsets_of, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_expand")
def sequence_expand(
    X: Array, *, ref_level: int, lods: Mapping[str, Sequence[Lod]]
) -> tuple[Array, dict[str, list[Lod]]]:
    """Each sequence of X (each row, where X has no LoD) as often as the sequence of Y is long."""
    lod = need_lod("sequence_expand", "Y", lods["Y"][0])
    (x_lod,) = lods["X"]
    if not -1 <= ref_level < len(lod):
        raise ExecutionError(
            f"sequence_expand: ref_level: expected a level of Y's LoD {lod}, got {ref_level}"
        )
    _, times = starts_and_lengths(lod[ref_level])
    if len(times) == 0:
        return X, {"Out": [x_lod]}
    starts, lengths = starts_and_lengths(x_lod[0] if x_lod else range(len(X) + 1))
    _check_count("sequence_expand", len(starts), len(times))
    starts, lengths = np.repeat(starts, times), np.repeat(lengths, times)
    return X[rows_of(starts, lengths)], {"Out": [(offsets_of(lengths),) if x_lod else NO_LOD]}


@kernel("sequence_expand_as")
def sequence_expand_as(X: Array, *, lods: Mapping[str, Sequence[Lod]]) -> tuple[Array, dict[str, list[Lod]]]:
    """Each row of X as often as the sequence of Y is long, with Y's LoD."""
    lod = need_lod("sequence_expand_as", "Y", lods["Y"][0])
    _, times = starts_and_lengths(lod[0])
    _check_count("sequence_expand_as", len(X), len(times))
    return np.repeat(X, times, axis=0), {"Out": [(lod[0],)]}


def _check_count(op: str, found: int, expected: int) -> None:
    if found != expected:
        raise ExecutionError(f"{op}: X: expected {expected} sequences, as many as in Y, got {found}")
