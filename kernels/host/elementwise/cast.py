"""assign, cast and bitcast by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("assign")
def assign(X: Array | list[Array]) -> Array | list[Array]:
    """X itself, a tensor or a tensor array: values are written once, so no copy is needed."""
    return X


@kernel("cast")
def cast(X: Array, *, out_dtype: int, out: Array | None = None) -> Array:
    """Fractions are cut off, everything but 0 is true; what an integer cannot hold is undefined."""
    out = np.empty(X.shape, DType.from_code(out_dtype).numpy) if out is None else out
    with np.errstate(invalid="ignore", over="ignore"):
        np.copyto(out, X, casting="unsafe")
    return out


@kernel("bitcast")
def bitcast(X: Array, *, dtype: int) -> Array:
    """The bytes of X as elements of another type of the same width."""
    return np.ascontiguousarray(X).reshape(X.shape).view(DType.from_code(dtype).numpy)
