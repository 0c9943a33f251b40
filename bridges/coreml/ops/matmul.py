"""matmul, matmul_v2, bmm, mul, fc → matmul, or linear with a constant matrix; float32."""

from __future__ import annotations

import math

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.bridges.coreml.ops.activation import activated, times
from lite.emission.conversion import Declined
from lite.ir.types import Array, DType
from lite.plugin.device import BridgeOp


def _product(b: Builder, x: Tensor, y: Tensor, *, trans_x: bool = False, trans_y: bool = False) -> Tensor:
    """The matrix product as numpy's; a vector is a row as X, a column as Y."""
    first, second = b.shape(x), b.shape(y)
    if not (first and second):
        raise Declined("a product of scalars")
    row, column = len(first) == 1, len(second) == 1
    x = b.reshape(x, (1, *first)) if row else x
    y = b.reshape(y, (*second, 1)) if column else y
    result = b.add("matmul", x=x, y=y, transpose_x=trans_x and not row, transpose_y=trans_y and not column)
    shape = list(b.shape(result))
    if column:
        shape.pop(-1)
    if row:
        shape.pop(-1 if column else -2)
    return b.reshape(result, shape) if row or column else result


def _require_float(op: BridgeOp, slot: str = "X") -> None:
    if op[slot].dtype is not DType.FLOAT32:
        raise Declined(f"{slot} is {op[slot]}, expected float32")


def _matmul_v2(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    ctx.output(op, _product(ctx.builder, x, y, trans_x=op.flag("trans_x"), trans_y=op.flag("trans_y")))


def _matmul(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    for slot in ("X", "Y"):
        if op[slot].rank == 1 and op.flag(f"transpose_{slot}"):
            raise Declined(f"{slot} is {op[slot]} and transposed")
    result = _product(b, x, y, trans_x=op.flag("transpose_X"), trans_y=op.flag("transpose_Y"))
    result = times(b, result, op.real("alpha"))
    ctx.output(op, result if b.shape(result) else b.reshape(result, (1,)))


def _bmm(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    ctx.output(op, _product(ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")))


def _matrix(b: Builder, x: Tensor, rows: int) -> Tensor:
    shape = b.shape(x)
    return b.reshape(x, (math.prod(shape[:rows]), math.prod(shape[rows:])))


def _mul(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    rows, columns = op.integer("x_num_col_dims"), op.integer("y_num_col_dims")
    result = _product(b, _matrix(b, x, rows), _matrix(b, y, columns))
    ctx.output(op, b.reshape(result, (*b.shape(x)[:rows], *b.shape(y)[columns:])))


def _fc(op: BridgeOp, ctx: Context) -> None:
    _require_float(op, "Input")
    if op.flag("padding_weights"):
        raise Declined("W is padded (padding_weights=true)")
    b, x, rows = ctx.builder, ctx.input(op, "Input"), op.integer("in_num_col_dims")
    weight, bias = op.constant("W"), op.constant("Bias")
    flat = _matrix(b, x, rows)
    if weight is not None and (bias is not None or op.get("Bias") is None):
        shift: Array = np.zeros(weight.shape[1], np.float32) if bias is None else bias.reshape(-1)
        result = b.add("linear", x=flat, weight=np.ascontiguousarray(weight.T), bias=shift)
    else:
        result, vector = _product(b, flat, ctx.input(op, "W")), ctx.optional(op, "Bias")
        if vector is not None:
            result = b.add("add", x=result, y=b.reshape(vector, (b.shape(result)[1],)))
    result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, b.reshape(result, (*b.shape(x)[:rows], b.shape(result)[1])))


register(__name__, {"bmm": _bmm, "fc": _fc, "matmul": _matmul, "matmul_v2": _matmul_v2, "mul": _mul})
