"""fc and mul on the host: products of tensors seen as matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
    """X · Y, the first x_num_col_dims axes of X as rows and the others as columns, likewise Y."""
    return _multiply(X, x_num_col_dims, _matrix(Y, y_num_col_dims), Y.shape[y_num_col_dims:], out)


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = {name: ctx.attrs[name] for name in _ATTRIBUTES}
    y = ctx.outputs["Out"][0]
    if not y.is_static:
        return None
    size = math.prod(int(dim) for dim in y.dims if isinstance(dim, int))
    kept = keeps_input(attrs["activation"] or attrs["activation_type"])
    room = ctx.scratch((size if kept else 0,), y.dtype.numpy)

    def run(
        Input: Array,
        W: Array,
        Bias: Array | None = None,
        Alpha: Array | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        return _fc(Input, W, Bias, Alpha, **attrs, out=out, room=room.array if kept else None)

    return run


_ATTRIBUTES = (
    "in_num_col_dims",
    "activation_type",
    "padding_weights",
    "activation",
    "activation_params",
    "prelu_mode",
)


@kernel("fc", prepare=_prepare)
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
    return _fc(
        Input, W, Bias, Alpha, in_num_col_dims, activation_type, padding_weights, activation,
        activation_params, prelu_mode, out, None,
    )  # fmt: skip


def _fc(
    Input: Array,
    W: Array,
    Bias: Array | None,
    Alpha: Array | None,
    in_num_col_dims: int,
    activation_type: str,
    padding_weights: bool,
    activation: str,
    activation_params: Sequence[float],
    prelu_mode: str,
    out: Array | None,
    room: Array | None,
) -> Array:
    weights = W[:-4, :-4] if padding_weights else W
    result = _multiply(Input, in_num_col_dims, weights, weights.shape[1:], out)
    if Bias is not None:
        with small_buffers():
            result += Bias.reshape(-1)
    name = activation or activation_type
    if name == "prelu":
        if Alpha is None:
            raise ExecutionError("fc: its activation is prelu, but slot Alpha is empty")
        return prelu(result, Alpha, mode=prelu_mode, out=result)
    return activate(name, result, activation_params, out=result, room=room)


def _multiply(x: Array, rows: int, y: Array, columns: tuple[int, ...], out: Array | None) -> Array:
    matrix = widened(_matrix(x, rows))
    if out is None or matrix.dtype != x.dtype or not out.flags.c_contiguous:
        result = np.matmul(matrix, widened(y)).reshape(*x.shape[:rows], *columns)
        return write(out, result.astype(x.dtype, copy=False))
    np.matmul(matrix, y, out=out.reshape(matrix.shape[0], y.shape[1]))
    return out


def _matrix(x: Array, rows: int) -> Array:
    return x.reshape(math.prod(x.shape[:rows]), math.prod(x.shape[rows:]))
