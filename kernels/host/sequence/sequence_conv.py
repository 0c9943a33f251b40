"""sequence_conv on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_conv")
def sequence_conv(
    X: Array,
    Filter: Array,
    PaddingData: Array | None,
    *,
    contextLength: int,
    contextStart: int,
    paddingTrainable: bool,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """Paddle sequence_conv op: each row sees `contextLength` rows from `contextStart` on, in its sequence.

    Outside of the sequence there are zeros or, with `paddingTrainable`, the rows of PaddingData: those
    before the start, then those behind the end.  Rows in no sequence give zeros.
    """
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_conv", "X", lod)[-1])
    rows = rows_of(starts, lengths)
    first, size = np.repeat(starts, lengths), np.repeat(lengths, lengths)
    context = np.zeros((len(X), contextLength, X.shape[1]), X.dtype)
    before = max(0, -contextStart)
    if paddingTrainable and PaddingData is None:
        raise ExecutionError("sequence_conv: paddingTrainable is set, but slot PaddingData is missing")
    for tap in range(contextLength):
        place = rows - first + contextStart + tap
        inside = (place >= 0) & (place < size)
        context[rows[inside], tap] = X[(first + place)[inside]]
        if paddingTrainable and PaddingData is not None:
            padding = np.where(place < 0, before + place, before + place - size)
            context[rows[~inside], tap] = PaddingData[padding[~inside]]
    return context.reshape(len(X), -1) @ Filter, {"Out": [lod]}
