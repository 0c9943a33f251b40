"""sequence_arithmetic on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel

_FUNCTIONS = {1: np.add, 2: np.subtract, 3: np.multiply}


@kernel("sequence_arithmetic")
def sequence_arithmetic(
    X: Array, Y: Array, *, op_type: int, lods: Mapping[str, Sequence[Lod]]
) -> tuple[Array, dict[str, list[Lod]]]:
    """X with Y added (`op_type` 1), subtracted (2) or multiplied (3), sequence by sequence.

    What a sequence of X has more than that of Y stays; what it has less does not count.
    """
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_arithmetic", "X", lod)[0])
    others, other_lengths = starts_and_lengths(need_lod("sequence_arithmetic", "Y", lods["Y"][0])[0])
    if len(starts) != len(others):
        raise ExecutionError(
            f"sequence_arithmetic: Y: expected {len(starts)} sequences, as many as in X, got {len(others)}"
        )
    both = np.minimum(lengths, other_lengths)
    rows = rows_of(starts, both)
    out = X.copy()
    out[rows] = _FUNCTIONS[op_type](X[rows], Y[rows_of(others, both)])
    return out, {"Out": [lod]}
