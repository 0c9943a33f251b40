"""Bilinear forms, and cross products."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value


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
