"""Products that are sums of matrix products, bilinear forms, and functions of square matrices."""

from __future__ import annotations

import functools
from string import ascii_lowercase, ascii_uppercase

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.ops.matmul import plus_input
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("torch.addbmm")
def addbmm(call: Call) -> Value:
    """beta · input + alpha · the sum of the products of a batch."""
    writer = call.writer
    products = writer.binary("matmul_v2", call.tensor(1), call.tensor(2))
    return plus_input(call, writer.unary("reduce_sum", products, {"dim": [0]}))


@pnnx_op("torch.addr")
def addr(call: Call) -> Value:
    """beta · input + alpha · the outer product of two vectors."""
    return plus_input(call, _outer(call, call.tensor(1), call.tensor(2)))


@pnnx_op("torch.outer", "torch.ger")
def outer(call: Call) -> Value:
    """The products of each two elements of two vectors."""
    return _outer(call, call.tensor(0), call.tensor(1))


def _outer(call: Call, x: Var, y: Var) -> Var:
    column = call.writer.unary("unsqueeze2", x, {"axes": [1]})
    return arithmetic.as_var(call.writer, arithmetic.binary(call.writer, "mul", column, y))


@pnnx_op("torch.inner")
def inner(call: Call) -> Value:
    """`matmul_v2` with the transposed second tensor; of tensors without dimensions, the product."""
    writer, (x, y) = call.writer, (call.tensor(0), call.tensor(1))
    if not writer.rank(x) or not writer.rank(y):
        return arithmetic.binary(writer, "mul", x, y)
    return tensordot_over(call, [writer.rank(x) - 1], [writer.rank(y) - 1])


@pnnx_op("torch.tensordot")
def tensordot(call: Call) -> Value:
    """`einsum` that sums over pairs of axes."""
    writer = call.writer
    first = [axis % writer.rank(call.x) for axis in call.integers("dims_self")]
    second = [axis % writer.rank(call.tensor(1)) for axis in call.integers("dims_other")]
    return tensordot_over(call, first, second)


def tensordot_over(call: Call, first: list[int], second: list[int]) -> Var:
    """`einsum` that sums over these axes of the first two inputs."""
    writer, x, y = call.writer, call.tensor(0), call.tensor(1)
    left = ascii_lowercase[: writer.rank(x)]
    right = list(ascii_uppercase[: writer.rank(y)])
    for axis, other in zip(first, second, strict=True):
        right[other] = left[axis]
    kept = [letter for n, letter in enumerate(left) if n not in first]
    kept += [letter for n, letter in enumerate(right) if n not in second]
    equation = f"{left},{''.join(right)}->{''.join(kept)}"
    return writer.emit_one("einsum", {"Operands": [x, y]}, {"equation": equation})


@pnnx_op("torch.multi_dot")
def multi_dot(call: Call) -> Value:
    """Products of a list of matrices, from the left."""
    items = call.value(0)
    tensors = [item for item in items if isinstance(item, Var)] if isinstance(items, list) else []
    if not tensors:
        raise call.error("input 0: expected a list of tensors")
    return functools.reduce(lambda x, y: call.writer.binary("matmul_v2", x, y), tensors)


@pnnx_op("torch.matrix_power")
def matrix_power(call: Call) -> Value:
    """Products of a matrix with itself, from 1 to 64 factors."""
    count = call.integer("n")
    if not 1 <= count <= 64:
        raise call.error(f"n: expected 1 to 64, got {count}")
    return functools.reduce(lambda x, y: call.writer.binary("matmul_v2", x, y), [call.x] * count)


_SQUARE = {"torch.inverse": "inverse", "torch.det": "determinant"}


@pnnx_op(*_SQUARE, "aten::inverse", "aten::det")
def of_square_matrices(call: Call) -> Value:
    """`inverse` or `determinant`."""
    op = _SQUARE[call.type.replace("aten::", "torch.")]
    return call.writer.emit_one(op, {"Input": call.x})


@pnnx_op("F.bilinear", "nn.Bilinear")
def bilinear(call: Call) -> Value:
    """The sum of products of both inputs with a weight ``[out, in1, in2]``, plus the bias."""
    writer = call.writer
    stored = "weight" in call.operator.weights
    weight = call.weight("weight") if stored else call.tensor("weight")
    operands = [call.tensor(0), weight, call.tensor(1)]
    product = writer.emit_one("einsum", {"Operands": operands}, {"equation": "...i,oij,...j->...o"})
    bias = call.optional_weight("bias") if stored else call.tensor("bias") if call.has("bias") else None
    return product if bias is None else writer.binary("elementwise_add", product, bias)


@pnnx_op("torch.cross")
def cross(call: Call) -> Value:
    """The cross product along an axis of size 3, without ``dim`` the first such axis: by rolled tensors."""
    writer = call.writer
    x, y = call.tensor(0), call.tensor(1)
    sizes = writer.shape(x)
    axis = (
        call.axis("dim", x) if call.has("dim") else next((n for n, size in enumerate(sizes) if size == 3), -1)
    )
    if axis < 0:
        raise call.error("expected an axis of size 3")

    def rolled(shift: int) -> list[Value]:
        return [writer.unary("roll", part, {"axis": [axis], "shifts": [shift]}) for part in (x, y)]

    (x_next, y_next), (x_last, y_last) = rolled(-1), rolled(-2)
    first = arithmetic.binary(writer, "mul", x_next, y_last)
    return arithmetic.binary(writer, "sub", first, arithmetic.binary(writer, "mul", x_last, y_next))
