"""matmul, matmul_v2, bmm, mul, fc → dot_general of real numbers."""

from __future__ import annotations

import math

from lite.bridges.stablehlo.ops.activation import activated, times
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.plugin.device import BridgeOp


def _swapped(b: Builder, x: Tensor) -> Tensor:
    """``[…, m, n]`` → ``[…, n, m]``."""
    return b.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def _product(b: Builder, x: Tensor, y: Tensor, *, trans_x: bool = False, trans_y: bool = False) -> Tensor:
    """``[…, m, k] · […, k, n]`` → ``[…, m, n]``, by the rules of `numpy.matmul`.

    A vector X is a row and a vector Y is a column; the result does not have that axis.  `trans_x` and
    `trans_y` exchange the last two axes of a tensor of rank 2 or more.
    """
    if not (x.rank and y.rank):
        raise Declined(f"the operands have ranks {x.rank} and {y.rank}, expected 1 or more")
    if not x.dtype.is_float or x.dtype is not y.dtype:
        raise Declined(f"the operands are {x.dtype} and {y.dtype}, expected real numbers of one type")
    row, column = x.rank == 1, y.rank == 1
    first = b.reshape(x, (1, *x.shape)) if row else _swapped(b, x) if trans_x else x
    second = b.reshape(y, (*y.shape, 1)) if column else _swapped(b, y) if trans_y else y
    result = b.matmul(first, second)
    dropped = {result.rank - 2} if row else set()
    dropped |= {result.rank - 1} if column else set()
    return b.reshape(result, [size for axis, size in enumerate(result.shape) if axis not in dropped])


def _matmul_v2(op: BridgeOp, ctx: Context) -> None:
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    ctx.output(op, _product(ctx.builder, x, y, trans_x=op.flag("trans_x"), trans_y=op.flag("trans_y")))


def _matmul(op: BridgeOp, ctx: Context) -> None:
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    for slot in ("X", "Y"):
        if op[slot].rank == 1 and op.flag(f"transpose_{slot}"):
            raise Declined(f"{slot} is {op[slot]}, and transpose_{slot} is true, expected rank 2 or more")
    result = _product(b, x, y, trans_x=op.flag("transpose_X"), trans_y=op.flag("transpose_Y"))
    result = times(b, result, op.real("alpha"))
    ctx.output(op, result if result.rank else b.reshape(result, (1,)))


def _bmm(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, _product(ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")))


def _matrix(b: Builder, x: Tensor, rows: int) -> Tensor:
    """A matrix: its first `rows` axes are merged to rows, the other axes to columns."""
    return b.reshape(x, (math.prod(x.shape[:rows]), math.prod(x.shape[rows:])))


def _mul(op: BridgeOp, ctx: Context) -> None:
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    rows, columns = op.integer("x_num_col_dims"), op.integer("y_num_col_dims")
    result = _product(b, _matrix(b, x, rows), _matrix(b, y, columns))
    ctx.output(op, b.reshape(result, (*x.shape[:rows], *y.shape[columns:])))


def _fc(op: BridgeOp, ctx: Context) -> None:
    if op.flag("padding_weights"):
        raise Declined("padding_weights is true, expected weights without padding")
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "W")
    rows, bias = op.integer("in_num_col_dims"), ctx.optional(op, "Bias")
    result = _product(b, _matrix(b, x, rows), weight)
    if bias is not None:
        result = b.binary("add", result, b.reshape(bias, (weight.shape[1],)))
    result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, b.reshape(result, (*x.shape[:rows], weight.shape[1])))


register(__name__, {"bmm": _bmm, "fc": _fc, "matmul": _matmul, "matmul_v2": _matmul_v2, "mul": _mul})
