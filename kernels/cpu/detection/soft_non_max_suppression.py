"""soft_non_max_suppression with a compiled search."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_choose_softly = Function("sorting.soft_nms.choose_softly")


@kernel("soft_non_max_suppression", "cpu", dtype=DType.FLOAT32)
def soft_non_max_suppression(
    Boxes: Array,
    Scores: Array,
    MaxOutputSize: Array,
    IouThreshold: Array,
    ScoreThreshold: Array,
    Sigma: Array | None,
) -> tuple[Array, Array, Array]:
    """The host's kernel in compiled code."""
    limit = int(MaxOutputSize.reshape(-1)[0])
    most, least, sigma = (
        float(part.reshape(-1)[0]) if part is not None else 0.0
        for part in (IouThreshold, ScoreThreshold, Sigma)
    )
    count, chosen = len(Scores), np.empty(limit, np.int32)
    kept, found = np.empty(limit, np.float32), np.empty(1, np.int32)
    heap, seen = np.empty(count, np.int64), np.empty(count, np.int64)
    _choose_softly.bind(
        FREE, FREE, FREE, FREE, FREE, FREE, FREE, most, least, -0.5 / sigma if sigma > 0 else 0.0,
        limit, count, cost=2 * PER_ELEMENT * count,
    )(
        np.ascontiguousarray(Boxes, np.float32), Scores.astype(np.float32), heap, seen, chosen, kept, found
    )  # fmt: skip
    return chosen, kept, found.reshape(())
