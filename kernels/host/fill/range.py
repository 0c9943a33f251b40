"""range, linspace and meshgrid by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.shape.join import copies
from lite.ops.ranges import range_size
from lite.plugin.kernel import Array, kernel


@kernel("range")
def range_(Start: Array, End: Array, Step: Array, *, allow_empty: bool = False) -> Array:
    """Paddle range: the numbers from Start by Step until before End, in Start's dtype."""
    start, end, step = Start.reshape(-1)[0], End.reshape(-1)[0], Step.reshape(-1)[0]
    steps = np.arange(range_size(start, end, step, allow_empty=allow_empty), dtype=Start.dtype)
    if not start.dtype == end.dtype == step.dtype:
        mixed: Array = start + steps * step
        return mixed.astype(Start.dtype, copy=False)
    if step != 1:
        steps *= step
    if start != 0:
        steps += start
    return steps


@kernel("linspace")
def linspace(Start: Array, Stop: Array, Num: Array, *, dtype: int) -> Array:
    """Paddle linspace: Num evenly spaced numbers from Start to Stop, both included; a single one is Start."""
    element = Start.dtype if dtype < 0 else DType.from_code(dtype).numpy
    start, stop = float(Start.reshape(-1)[0]), float(Stop.reshape(-1)[0])
    return np.linspace(start, stop, int(Num.reshape(-1)[0])).astype(element)


@kernel("logspace")
def logspace(Start: Array, Stop: Array, Num: Array, Base: Array, *, dtype: int) -> Array:
    """Paddle logspace: Base to the power of Num evenly spaced numbers from Start to Stop."""
    start, stop, base = (float(number.reshape(-1)[0]) for number in (Start, Stop, Base))
    exponents = np.linspace(start, stop, int(Num.reshape(-1)[0]))
    return np.asarray(base**exponents).astype(DType.from_code(dtype).numpy)


@kernel("meshgrid")
def meshgrid(X: list[Array], *, out: list[Array] | None = None) -> list[Array]:
    """Paddle meshgrid: for each vector a tensor with an axis for each vector, along which it varies."""
    return copies(np.meshgrid(*X, indexing="ij", copy=False), out)
