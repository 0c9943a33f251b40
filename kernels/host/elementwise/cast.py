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
    """Paddle cast: to integers by truncation, undefined beyond their range; to bool True for all but 0.

    To strings as ONNX Runtime writes numbers: 1 and 0 for bool, 8 digits of reals.
    """
    dtype = np.dtype(DType.from_code(out_dtype).numpy)
    out = np.empty(X.shape, dtype) if out is None else out
    if dtype.kind == "O" and X.dtype.kind != "O":
        X = _texts(X)
    with np.errstate(invalid="ignore", over="ignore"):
        np.copyto(out, X, casting="unsafe")
    return out


def _texts(x: Array) -> Array:
    texts = np.empty(x.size, object)
    if x.dtype.kind in "iub":
        texts[:] = [str(int(number)) for number in x.ravel()]
        return texts.reshape(x.shape)
    names = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
    words = [format(float(number), ".8g") for number in x.ravel()]
    texts[:] = [names.get(word, word) for word in words]
    return texts.reshape(x.shape)


@kernel("bitcast")
def bitcast(X: Array, *, dtype: int) -> Array:
    """ONNX BitCast: a view of the bytes of X as elements of another type of the same width."""
    return np.ascontiguousarray(X).reshape(X.shape).view(DType.from_code(dtype).numpy)
