"""assign, cast and bitcast by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("assign")
def assign(X: Array | list[Array]) -> Array | list[Array]:
    """Paddle assign: X without a copy, a tensor or a tensor array; values are written only once."""
    return X


@kernel("cast")
def cast(X: Array, *, out_dtype: int, out: Array | None = None) -> Array:
    """Paddle cast: to integers by truncation, undefined beyond their range; to bool True for all but 0."""
    out = np.empty(X.shape, DType.from_code(out_dtype).numpy) if out is None else out
    with np.errstate(invalid="ignore", over="ignore"):
        np.copyto(out, X, casting="unsafe")
    return out


@kernel("bitcast")
def bitcast(X: Array, *, dtype: int) -> Array:
    """ONNX BitCast: a view of the bytes of X as elements of another type of the same width."""
    return np.ascontiguousarray(X).reshape(X.shape).view(DType.from_code(dtype).numpy)
