"""Matrix products."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("nn.Linear")
def linear(call: Call) -> Value:
    """A product with the transposed weight, plus the bias."""
    writer = call.writer
    weight = writer.weight(f"{call.operator.name}.weight", np.ascontiguousarray(call.array("weight", 2).T))
    product = writer.binary("matmul_v2", call.x, weight)
    bias = call.optional_weight("bias")
    return product if bias is None else writer.binary("elementwise_add", product, bias)


@pnnx_op("F.linear")
def linear_of_operands(call: Call) -> Value:
    """The same with weight and bias as operands."""
    product = call.writer.binary("matmul_v2", call.x, call.tensor("weight"), {"trans_y": True})
    return (
        call.writer.binary("elementwise_add", product, call.tensor("bias")) if call.has("bias") else product
    )


@pnnx_op("torch.matmul", "torch.mm", "torch.bmm")
def matmul(call: Call) -> Value:
    """matmul_v2."""
    return call.writer.binary("matmul_v2", call.x, call.tensor(1))


@pnnx_op("torch.addmm", "torch.baddbmm")
def addmm(call: Call) -> Value:
    """beta · input + alpha · product."""
    writer = call.writer
    product = arithmetic.as_term(writer.binary("matmul_v2", call.tensor(1), call.tensor(2)))
    alpha, beta = call.number("alpha", 1), call.number("beta", 1)
    if alpha != 1:
        product = arithmetic.binary(writer, "mul", product, alpha)
    added = call.x if beta == 1 else arithmetic.binary(writer, "mul", call.x, beta)
    return arithmetic.binary(writer, "add", product, added)


@pnnx_op("F.scaled_dot_product_attention")
def attention(call: Call) -> Value:
    """softmax(query · keyᵀ · scale + mask) · value."""
    writer = call.writer
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    if call.flag("enable_gqa", False):
        raise call.error("enable_gqa is not supported")
    width = writer.size(query, -1)
    if call.has("scale"):
        factor = call.real("scale")
    elif isinstance(width, int) and width > 0:
        factor = 1 / math.sqrt(width)
    else:
        raise call.error("the width of the query must be fixed or a scale given")
    scores = writer.binary("matmul_v2", query, key, {"trans_y": True})
    scores = writer.unary("scale", scores, {"scale": factor})
    if call.has("attn_mask"):
        scores = _masked(call, scores, call.tensor("attn_mask"))
    if call.flag("is_causal", False):
        ones = writer.unary("fill_any_like", scores, {"value": 1.0, "dtype": -1})
        kept = writer.cast(writer.unary("tril_triu", ones, {"lower": True}), DType.BOOL)
        scores = _masked(call, scores, kept)
    return writer.binary("matmul_v2", writer.unary("softmax", scores, {"axis": -1}), value)


def _masked(call: Call, scores: Var, mask: Var) -> Var:
    """Scores with minus infinity where a mask of bools is false, or with a real mask added."""
    writer = call.writer
    if writer.dtype(mask) != DType.BOOL:
        return writer.binary("elementwise_add", scores, mask)
    lowest = writer.literal(float("-inf"), writer.dtype(scores))
    return writer.one("where", {"Condition": mask, "X": scores, "Y": lowest})
