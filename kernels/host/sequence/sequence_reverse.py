"""sequence_reverse on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_reverse")
def sequence_reverse(X: Array, *, lods: Mapping[str, Sequence[Lod]]) -> tuple[Array, dict[str, list[Lod]]]:
    """The rows of each sequence in opposite order; rows in no sequence stay."""
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_reverse", "X", lod)[-1])
    rows = rows_of(starts, lengths)
    source = np.arange(len(X))
    source[rows] = np.repeat(2 * starts + lengths - 1, lengths) - rows
    return X[source], {"Y": [lod]}
