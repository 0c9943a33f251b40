"""sequence_softmax on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_softmax")
def sequence_softmax(X: Array, *, lods: Mapping[str, Sequence[Lod]]) -> tuple[Array, dict[str, list[Lod]]]:
    """Softmax over the rows of each sequence of the innermost level; X has one element per row."""
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_softmax", "X", lod)[-1])
    starts, lengths = starts[lengths > 0], lengths[lengths > 0]
    out = np.zeros_like(X)
    if len(starts):
        rows = slice(int(starts[0]), int(starts[-1] + lengths[-1]))
        x, at = X[rows], starts - starts[0]
        x = np.exp(x - np.repeat(np.maximum.reduceat(x, at, axis=0), lengths, axis=0))
        x /= np.repeat(np.add.reduceat(x, at, axis=0), lengths, axis=0)
        out[rows] = x
    return out, {"Out": [lod]}
