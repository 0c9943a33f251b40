"""Matrix products."""

from __future__ import annotations

import numpy as np

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("nn.Linear")
def linear(call: Call) -> Value:
    """`matmul_v2` with the transposed weight, plus the bias."""
    writer = call.writer
    weight = writer.weight(f"{call.operator.name}.weight", np.ascontiguousarray(call.array("weight", 2).T))
    product = writer.binary("matmul_v2", call.x, weight)
    bias = call.optional_weight("bias")
    return product if bias is None else writer.binary("elementwise_add", product, bias)


@pnnx_op("F.linear")
def linear_of_operands(call: Call) -> Value:
    """`matmul_v2` with the transposed weight, plus the bias; both are operands."""
    product = call.writer.binary("matmul_v2", call.x, call.tensor("weight"), {"trans_y": True})
    return (
        call.writer.binary("elementwise_add", product, call.tensor("bias")) if call.has("bias") else product
    )


@pnnx_op("torch.matmul", "torch.mm", "torch.bmm", "torch.mv")
def matmul(call: Call) -> Value:
    """`matmul_v2`."""
    return call.writer.binary("matmul_v2", call.x, call.tensor(1))


@pnnx_op("torch.addmm", "torch.baddbmm")
def addmm(call: Call) -> Value:
    """beta · input + alpha · product."""
    return plus_input(call, call.writer.binary("matmul_v2", call.tensor(1), call.tensor(2)))


def plus_input(call: Call, x: Var) -> Value:
    """beta · input + alpha · x."""
    writer, product = call.writer, arithmetic.as_term(x)
    alpha, beta = call.number("alpha", 1), call.number("beta", 1)
    if alpha != 1:
        product = arithmetic.binary(writer, "mul", product, alpha)
    added = call.x if beta == 1 else arithmetic.binary(writer, "mul", call.x, beta)
    return arithmetic.binary(writer, "add", product, added)
