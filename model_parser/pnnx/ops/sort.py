"""Order of elements: argmax, argmin and topk."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value


@pnnx_op("torch.argmax", "torch.argmin")
def arg_extreme(call: Call) -> Value:
    """`arg_max` or `arg_min`, without ``dim`` of the flattened tensor."""
    attrs: dict[str, AttrValue] = {"keepdims": call.flag("keepdim", False)}
    attrs |= {"axis": call.axis("dim", call.x)} if call.has("dim") else {"flatten": True}
    return call.writer.unary(call.type.replace("torch.arg", "arg_"), call.x, attrs)


@pnnx_op("torch.topk")
def topk(call: Call) -> Results:
    """`top_k_v2`: values and indices."""
    attrs: dict[str, AttrValue] = {
        "k": call.integer("k"),
        "axis": call.axis("dim", call.x, -1),
        "largest": call.flag("largest", True),
        "sorted": call.flag("sorted", True),
    }
    return Results(call.writer.emit("top_k_v2", {"X": call.x}, attrs, {"Out": 1, "Indices": 1}))
