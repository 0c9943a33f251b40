"""range on the host."""

import numpy as np

from lite.ops.ranges import range_size
from lite.plugin.kernel import Array, kernel


@kernel("range")
def range_(Start: Array, End: Array, Step: Array, *, allow_empty: bool = False) -> Array:
    """The numbers from Start by Step until before End, in Start's type."""
    start, end, step = Start.reshape(-1)[0], End.reshape(-1)[0], Step.reshape(-1)[0]
    steps = np.arange(range_size(start, end, step, allow_empty=allow_empty), dtype=Start.dtype)
    result: Array = start + steps * step
    return result.astype(Start.dtype, copy=False)
