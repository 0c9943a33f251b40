"""logsumexp on the host."""

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.compute_dtype import widened
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("logsumexp")
def logsumexp(
    X: Array,
    AxisTensor: Array | None = None,
    *,
    dim: Sequence[int] = (0,),
    keep_dim: bool = False,
    reduce_all: bool = False,
    out_dtype: int = -1,
    out: Array | None = None,
) -> Array:
    """log(sum(exp(X))) over axes, computed around the maximum so that nothing overflows."""
    wanted = integers(dim, AxisTensor)
    axes = tuple(range(X.ndim)) if reduce_all or not wanted else tuple({axis % X.ndim for axis in wanted})
    x = widened(X)
    top = np.max(x, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    # Of no elements, or of -inf alone, the sum is 0 and its logarithm -inf; +inf stays +inf.
    with np.errstate(divide="ignore", over="ignore"):
        result = np.log(np.exp(x - top).sum(axes, keepdims=True)) + top
    result = result if keep_dim else result.squeeze(axes)
    return write(out, result.astype(X.dtype if out_dtype < 0 else DType.from_code(out_dtype).numpy))
