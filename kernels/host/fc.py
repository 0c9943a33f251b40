"""fc and mul on the host: products of tensors seen as matrices."""

import math
from collections.abc import Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.kernels.host.activation import activate
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.prelu import prelu
from lite.plugin.kernel import Array, kernel, write


@kernel("mul")
def mul(
    X: Array, Y: Array, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1, out: Array | None = None
) -> Array:
    """X · Y, the first x_num_col_dims axes of X as rows and the others as columns, likewise Y."""
    return _multiply(X, x_num_col_dims, _matrix(Y, y_num_col_dims), Y.shape[y_num_col_dims:], out)


@kernel("fc")
def fc(
    Input: Array,
    W: Array,
    Bias: Array | None = None,
    Alpha: Array | None = None,
    *,
    in_num_col_dims: int = 1,
    activation_type: str = "",
    padding_weights: bool = False,
    activation: str = "",
    activation_params: Sequence[float] = (),
    prelu_mode: str = "all",
    out: Array | None = None,
) -> Array:
    """The activation of Input · W + Bias, the first in_num_col_dims axes of Input as rows.

    padding_weights: the last four rows and columns of W do not count.  The activation "prelu" has its
    slopes in Alpha.
    """
    weights = W[:-4, :-4] if padding_weights else W
    result = _multiply(Input, in_num_col_dims, weights, weights.shape[1:], out)
    if Bias is not None:
        result += Bias.reshape(-1)
    name = activation or activation_type
    if name == "prelu":
        if Alpha is None:
            raise ExecutionError("fc: its activation is prelu, but slot Alpha is empty")
        return prelu(result, Alpha, mode=prelu_mode, out=result)
    return activate(name, result, activation_params, out=result)


def _multiply(x: Array, rows: int, y: Array, columns: tuple[int, ...], out: Array | None) -> Array:
    matrix = widened(_matrix(x, rows))
    if out is None or matrix.dtype != x.dtype or not out.flags.c_contiguous:
        result = np.matmul(matrix, widened(y)).reshape(*x.shape[:rows], *columns)
        return write(out, result.astype(x.dtype, copy=False))
    np.matmul(matrix, y, out=out.reshape(matrix.shape[0], y.shape[1]))
    return out


def _matrix(x: Array, rows: int) -> Array:
    return x.reshape(math.prod(x.shape[:rows]), math.prod(x.shape[rows:]))
