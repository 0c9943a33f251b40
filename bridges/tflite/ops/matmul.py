"""matmul, matmul_v2, bmm, mul, fc → FULLY_CONNECTED with a constant matrix, else BATCH_MATMUL; float32."""

from __future__ import annotations

import math

from lite.bridges.tflite.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.plugin.device import BridgeOp


def product(
    b: Builder,
    x: Tensor,
    y: Tensor,
    *,
    trans_x: bool = False,
    trans_y: bool = False,
    bias: Tensor | None = None,
) -> Tensor:
    """The matrix product as numpy's; a vector is a row as X, a column as Y."""
    if not (x.rank and y.rank):
        raise Declined("a product of scalars")
    trans_x, trans_y = trans_x and x.rank > 1, trans_y and y.rank > 1
    row, column = x.rank == 1, y.rank == 1
    x = b.reshape(x, (1, x.shape[0])) if row else x
    y = b.reshape(y, (y.shape[0], 1)) if column else y
    if y.array is not None and y.rank == 2 and not trans_x:
        result = _connected(b, x, y if trans_y else b.transpose(y, (1, 0)), bias)
    else:
        result = b.matmul(x, y, adj_x=trans_x, adj_y=trans_y)
        result = result if bias is None else b.binary("ADD", result, bias)
    if row or column:
        dropped = {result.rank - 2} if row else set()
        dropped |= {result.rank - 1} if column else set()
        result = b.squeeze(result, sorted(dropped))
    return result


def _connected(b: Builder, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """X · weightᵀ; weight is [columns of the result, columns of X]."""
    rows, count = b.form(x), weight.shape[0]
    shift = None if bias is None else b.form(b.reshape(bias, (count,)))
    result = b.add(
        "FULLY_CONNECTED", [rows, b.form(weight), shift], (*rows.shape[:-1], count), keep_num_dims=True
    )
    return b.wrap(result)


def _matmul_v2(op: BridgeOp, ctx: Context) -> None:
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    result = product(ctx.builder, x, y, trans_x=op.flag("trans_x"), trans_y=op.flag("trans_y"))
    ctx.output(op, result)


def _matmul(op: BridgeOp, ctx: Context) -> None:
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    for slot in ("X", "Y"):
        if op[slot].rank == 1 and op.flag(f"transpose_{slot}"):
            raise Declined(f"{slot} is {op[slot]} and transposed")
    result = product(b, x, y, trans_x=op.flag("transpose_X"), trans_y=op.flag("transpose_Y"))
    if op.real("alpha") != 1:
        result = b.binary("MUL", result, b.like(op.real("alpha"), result))
    ctx.output(op, b.reshape(result, (1,)) if not result.rank else result)


def _bmm(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, product(ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")))


def _matrix(b: Builder, x: Tensor, rows: int) -> Tensor:
    return b.reshape(x, (math.prod(x.shape[:rows]), math.prod(x.shape[rows:])))


def _mul(op: BridgeOp, ctx: Context) -> None:
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    rows, columns = op.integer("x_num_col_dims"), op.integer("y_num_col_dims")
    result = product(b, _matrix(b, x, rows), _matrix(b, y, columns))
    ctx.output(op, b.reshape(result, (*x.shape[:rows], *y.shape[columns:])))


def _fc(op: BridgeOp, ctx: Context) -> None:
    if op.flag("padding_weights"):
        raise Declined("W is padded (padding_weights=true)")
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "W")
    rows = op.integer("in_num_col_dims")
    bias = ctx.optional(op, "Bias")
    flat = None if bias is None else b.reshape(bias, (weight.shape[1],))
    result = product(b, _matrix(b, x, rows), weight, bias=flat)
    result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, b.reshape(result, (*x.shape[:rows], weight.shape[1])))


register(
    __name__,
    {
        "bmm": _bmm,
        "fc": _fc,
        "matmul": _matmul,
        "matmul_v2": _matmul_v2,
        "mul": _mul,
    },
)
