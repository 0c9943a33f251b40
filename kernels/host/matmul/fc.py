"""fc and mul by numpy: products of tensors as matrices."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ExecutionError
from lite.kernels.host.activation.activation import activate, keeps_input
from lite.kernels.host.activation.prelu import prelu
from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


@kernel("mul")
def mul(
    X: Array, Y: Array, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1, out: Array | None = None
) -> Array:
    """Paddle mul: X · Y as matrices, whose rows are the first `x_num_col_dims` and `y_num_col_dims` axes."""
    return _multiply(X, x_num_col_dims, _matrix(Y, y_num_col_dims), Y.shape[y_num_col_dims:], out)


@dataclass(frozen=True)
class _Attributes:
    in_num_col_dims: int
    padding_weights: bool
    activation: str
    activation_params: tuple[float, ...]
    prelu_mode: str


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs, y = ctx.attrs.read(_Attributes), ctx.outputs["Out"][0]
    kept = keeps_input(attrs.activation)
    workspace = ctx.scratch((math.prod(y.sizes) if kept else 0,), y.dtype.numpy)

    def run(
        Input: Array,
        W: Array,
        Bias: Array | None = None,
        Alpha: Array | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        return _fc(Input, W, Bias, Alpha, attrs, out, workspace.array if kept else None)

    return run


@kernel("fc", attrs=_Attributes, prepare=_prepare)
def fc(
    Input: Array,
    W: Array,
    Bias: Array | None = None,
    Alpha: Array | None = None,
    *,
    attrs: _Attributes,
    out: Array | None = None,
) -> Array:
    """Paddle fc: activation(Input · W + Bias), with the first `in_num_col_dims` axes of Input as rows.

    With `padding_weights`, the last four rows and columns of W are ignored.  litebridge's own is the
    activation "prelu", with the slopes Alpha.
    """
    return _fc(Input, W, Bias, Alpha, attrs, out, None)


def _fc(
    x: Array,
    weight: Array,
    bias: Array | None,
    alpha: Array | None,
    attrs: _Attributes,
    out: Array | None,
    workspace: Array | None,
) -> Array:
    weights = weight[:-4, :-4] if attrs.padding_weights else weight
    result = _multiply(x, attrs.in_num_col_dims, weights, weights.shape[1:], out)
    if bias is not None:
        with small_buffers():
            result += bias.reshape(-1)
    name = attrs.activation
    if name == "prelu":
        if alpha is None:
            raise ExecutionError("fc: its activation is prelu, but slot Alpha is empty")
        return prelu(result, alpha, mode=attrs.prelu_mode, out=result)
    return activate(name, result, attrs.activation_params, out=result, workspace=workspace)


def _multiply(x: Array, rows: int, y: Array, columns: tuple[int, ...], out: Array | None) -> Array:
    matrix = widened(_matrix(x, rows))
    if out is None or matrix.dtype != x.dtype or not out.flags.c_contiguous:
        result = np.matmul(matrix, widened(y)).reshape(*x.shape[:rows], *columns)
        return write(out, result.astype(x.dtype, copy=False))
    np.matmul(matrix, y, out=out.reshape(matrix.shape[0], y.shape[1]))
    return out


def _matrix(x: Array, rows: int) -> Array:
    return x.reshape(math.prod(x.shape[:rows]), math.prod(x.shape[rows:]))
