"""matmul, matmul_v2, bmm, mul, fc → MatMul, of at least one computed tensor; vectors get an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.ops.activation import activated, why_not_activation
from lite.bridges.tpu.ops.elementwise import with_row
from lite.bridges.tpu.row import Row
from lite.ir.types import Array
from lite.ops.view import product
from lite.plugin.device import BridgeOp, bridge


def _why_not_constants(op: BridgeOp) -> str | None:
    if op.constant("X") is not None:
        return "X is a constant; the device takes a computed tensor"
    return None


def _why_not_batches(op: BridgeOp) -> str | None:
    reason = _why_not_constants(op)
    first, second = op["X"].dims[:-2], op["Y"].dims[:-2]
    if reason is None and second and first != second:
        return f"X is {op['X']} and Y is {op['Y']}; the device takes equal batches, or a matrix Y"
    if reason is None and (op["X"].rank < 2 or op["Y"].rank < 2):
        return f"X is {op['X']} and Y is {op['Y']}; the device multiplies no vectors"
    return reason


def multiplied(
    b: Builder,
    shapes: tuple[Sequence[int], Sequence[int]],
    x: Tensor,
    y: Tensor,
    weight: Array | None,
    transposed: tuple[bool, bool],
) -> Tensor:
    """`x` times `y`, of these shapes; `weight` has the elements of a constant `y`."""
    x_rank, y_rank = len(shapes[0]), len(shapes[1])
    if transposed[0]:
        x = b.transposed(x, [*range(x_rank - 2), x_rank - 1, x_rank - 2])
    if transposed[1] and weight is not None:
        return b.lang.matmul(x, b.constant("weight", np.swapaxes(weight, -1, -2)))
    if transposed[1]:
        y = b.transposed(y, [*range(y_rank - 2), y_rank - 1, y_rank - 2])
    return b.lang.matmul(x, y)


def _row(names: tuple[str, str]) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        flags = (op.flag(names[0]), op.flag(names[1])) if names[0] else (False, False)
        result = multiplied(b, (op["X"].sizes, op["Y"].sizes), x, y, op.constant("Y"), flags)
        return b.lang.mul(result, op.real("alpha")) if op.op == "matmul" and op.real("alpha") != 1 else result

    return Row("X Y", make, _why_not_batches)


def _product(
    b: Builder, dims: tuple[int, ...], x: Tensor, rows: int, y: Tensor, result: Sequence[int]
) -> Tensor:
    """`x` as a matrix, its first `rows` axes the rows, times the matrix `y`, in the shape of the result."""
    if len(dims) != 2 or rows != 1:
        x = b.shaped(x, [_size(dims[:rows]), _size(dims[rows:])])
    x = b.lang.matmul(x, y)
    return x if len(result) == 2 else b.shaped(x, result)


def _size(dims: Sequence[int]) -> int:
    return product(dims) or 1


def _mul(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
    columns, dims = op.integer("y_num_col_dims"), op["Y"].sizes
    if len(dims) != 2 or columns != 1:
        shape = [_size(dims[:columns]), _size(dims[columns:])]
        weight = op.constant("Y")
        y = b.shaped(y, shape) if weight is None else b.constant("weight", weight.reshape(shape))
    return _product(b, op["X"].sizes, x, op.integer("x_num_col_dims"), y, op.output().sizes)


def _why_not_fc(op: BridgeOp) -> str | None:
    if op.constant("Input") is not None:
        return "Input is a constant; the device takes a computed tensor"
    if op.flag("padding_weights"):
        return "W is padded (padding_weights=true)"
    return why_not_activation(op.text("activation"))


def _fc(b: Builder, op: BridgeOp, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    rows, dims = op.integer("in_num_col_dims"), op["Input"].sizes
    result = _product(b, dims, x, rows, weight, (_size(dims[:rows]), op["W"].sizes[1]))
    if bias is not None:
        constant = op.constant("Bias")
        shape = (1, op["W"].sizes[1])
        if constant is None:
            result = with_row(b, result, b.shaped(bias, shape))
        else:
            result = b.lang.add(result, b.constant("bias", constant.reshape(shape)))
    result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    return result if op.output().rank == 2 else b.shaped(result, op.output().sizes)


bridge("tpu", "matmul_v2")(_row(("trans_x", "trans_y")))
bridge("tpu", "matmul")(_row(("transpose_X", "transpose_Y")))
bridge("tpu", "bmm")(_row(("", "")))
bridge("tpu", "mul")(Row("X Y", _mul, _why_not_constants))
bridge("tpu", "fc")(Row("Input W Bias?", _fc, _why_not_fc))
