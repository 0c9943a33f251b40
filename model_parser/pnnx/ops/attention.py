"""Scaled dot-product attention."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("F.scaled_dot_product_attention")
def attention(call: Call) -> Value:
    """softmax(query · keyᵀ · scale + mask) · value."""
    writer = call.writer
    query, key, value = (call.tensor(name) for name in ("query", "key", "value"))
    if call.flag("enable_gqa", False):
        key, value = (_repeated(call, part, query) for part in (key, value))
    width = writer.size(query, -1)
    if call.has("scale"):
        factor = call.real("scale")
    elif isinstance(width, int) and width > 0:
        factor = 1 / math.sqrt(width)
    else:
        raise call.error("expected a query of fixed width or the parameter scale")
    scores = writer.binary("matmul_v2", query, key, {"trans_y": True})
    scores = writer.unary("scale", scores, {"scale": factor})
    if call.has("attn_mask"):
        scores = _masked(call, scores, call.tensor("attn_mask"))
    if call.flag("is_causal", False):
        ones = writer.unary("fill_any_like", scores, {"value": 1.0, "dtype": -1})
        mask = writer.cast(writer.unary("tril_triu", ones, {"lower": True}), DType.BOOL)
        scores = _masked(call, scores, mask)
    return writer.binary("matmul_v2", writer.unary("softmax", scores, {"axis": -1}), value)


def _repeated(call: Call, x: Var, query: Var) -> Var:
    """Keys or values with each head repeated until there are as many as of the query."""
    writer = call.writer
    sizes = [writer.size(x, axis) for axis in range(writer.rank(x))]
    heads, count = writer.size(query, -3), sizes[-3]
    if not isinstance(heads, int) or not isinstance(count, int) or heads % count:
        raise call.error(
            f"enable_gqa: expected fixed numbers of heads, a multiple of the other's, got {heads}"
        )
    if heads == count:
        return x
    spread = writer.unary("unsqueeze2", x, {"axes": [len(sizes) - 2]})
    times = [1] * (len(sizes) - 2) + [heads // count, 1, 1]
    return writer.reshape(
        writer.unary("tile", spread, {"repeat_times": times}), [*sizes[:-3], heads, *sizes[-2:]]
    )


def _masked(call: Call, scores: Var, mask: Var) -> Var:
    """The scores plus a real mask, or minus infinity where a bool mask is false."""
    writer = call.writer
    if writer.dtype(mask) != DType.BOOL:
        return writer.binary("elementwise_add", scores, mask)
    lowest = writer.literal(float("-inf"), writer.dtype(scores))
    return writer.emit_one("where", {"Condition": mask, "X": scores, "Y": lowest})
