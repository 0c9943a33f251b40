"""linspace on the host."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("linspace")
def linspace(Start: Array, Stop: Array, Num: Array, *, dtype: int) -> Array:
    """Num numbers at equal distances from Start to Stop, both included; one alone is Start."""
    element = Start.dtype if dtype < 0 else DType.from_code(dtype).numpy
    start, stop = float(Start.reshape(-1)[0]), float(Stop.reshape(-1)[0])
    return np.linspace(start, stop, int(Num.reshape(-1)[0])).astype(element)
