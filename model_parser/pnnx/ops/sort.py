"""Order of elements: extremes, sorting, and the elements at a rank."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var


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


@pnnx_op("torch.sort", "torch.argsort")
def sort(call: Call) -> Value | Results:
    """`argsort`: the sorted elements and their positions, or these alone."""
    pair = _sorted(call, call.axis("dim", call.x, -1), descending=call.flag("descending", False))
    return pair[1] if call.type == "torch.argsort" else Results(pair)


@pnnx_op("torch.kthvalue")
def kthvalue(call: Call) -> Results:
    """The k-th smallest element along an axis, and its position."""
    return Results(_at_rank(call, call.axis("dim", call.x, -1), call.integer("k") - 1))


@pnnx_op("torch.median")
def median(call: Call) -> Value | Results:
    """The element in the middle, of two the lower one, along an axis with its position, or of all."""
    writer = call.writer
    if call.has("dim"):
        axis = call.axis("dim", call.x)
        size = writer.size(call.x, axis)
        if not isinstance(size, int):
            raise call.error("expected an axis of fixed size")
        return Results(_at_rank(call, axis, (size - 1) // 2))
    flat = call.with_input(0, writer.reshape(call.x, [-1]))
    size = writer.size(flat.x, 0)
    if not isinstance(size, int):
        raise call.error("expected a tensor of fixed size")
    return _at_rank(flat, 0, (size - 1) // 2)[0]


def _sorted(call: Call, axis: int, *, descending: bool) -> list[Var]:
    attrs: dict[str, AttrValue] = {"axis": axis, "descending": descending}
    return call.writer.emit("argsort", {"X": call.x}, attrs, {"Out": 1, "Indices": 1})


def _at_rank(call: Call, axis: int, rank: int) -> list[Var]:
    """The element of a rank along an axis, and its position, with or without the axis."""
    attrs: dict[str, AttrValue] = {
        "axes": [axis],
        "starts": [rank],
        "ends": [rank + 1],
        "decrease_axis": [] if call.flag("keepdim", False) else [axis],
    }
    pair = _sorted(call, axis, descending=False)
    return [call.writer.emit_one("slice", {"Input": part}, attrs) for part in pair]
