"""Lists of tensors: made, taken apart, joined, broadcast together, or cut from one tensor."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.promotion import of_one_dtype
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var

_STACKS = {
    "aten::vstack": (2, 0),
    "aten::hstack": (1, 1),
    "aten::dstack": (3, 2),
    "aten::column_stack": (2, 1),
}
"""Operator → the least rank of its parts, and the axis of the result."""


@pnnx_op(*_STACKS)
def stacked(call: Call) -> Value:
    """`concat` of tensors that get the axes which they lack."""
    writer = call.writer
    rank, axis = _STACKS[call.type]
    parts = of_one_dtype(writer, _tensors(call))
    if call.type == "aten::hstack" and all(writer.rank(part) < 2 for part in parts):
        axis = 0
    raised = [_raised(call, part, rank) for part in parts]
    return writer.emit_one("concat", {"X": raised}, {"axis": axis})


def _raised(call: Call, part: Var, rank: int) -> Var:
    """The tensor with `rank` axes: columns for ``column_stack``, else after numpy's rule of each stack."""
    writer, missing = call.writer, rank - call.writer.rank(part)
    if missing <= 0:
        return part
    if call.type == "aten::column_stack":
        return writer.reshape(part, [-1, 1])
    if call.type != "aten::dstack":
        return writer.unary("unsqueeze2", part, {"axes": [*range(missing)]})
    return writer.unary("unsqueeze2", part, {"axes": {1: [2], 2: [0, 2], 3: [0, 1, 2]}[missing]})


@pnnx_op("aten::broadcast_tensors", "torch.broadcast_tensors")
def broadcast_tensors(call: Call) -> Value:
    """A list of the tensors, each expanded to their common shape."""
    writer, tensors = call.writer, _tensors(call)
    if len({writer.shape(tensor) for tensor in tensors}) == 1:
        return list(tensors)
    common: Var | None = None
    for tensor in tensors:
        zeros = writer.unary("fill_any_like", tensor, {"value": 0.0, "dtype": -1})
        zeros = writer.cast(zeros, writer.dtype(common or zeros))
        common = zeros if common is None else writer.binary("elementwise_add", common, zeros)
    return [writer.emit_one("expand_as_v2", {"X": tensor, "Y": common}) for tensor in tensors]


@pnnx_op("aten::meshgrid")
def meshgrid(call: Call) -> Value:
    """A list of `meshgrid`'s results; for ``indexing`` xy the first two vectors change places."""
    writer, vectors = call.writer, [_vector(call, tensor) for tensor in _tensors(call)]
    is_xy = len(call.inputs) > 1 and call.value(1) == "xy" and len(vectors) > 1
    if is_xy:
        vectors[0], vectors[1] = vectors[1], vectors[0]
    grids = writer.emit("meshgrid", {"X": vectors}, {}, {"Out": len(vectors)})
    if is_xy:
        grids[0], grids[1] = grids[1], grids[0]
    return list(grids)


def _vector(call: Call, tensor: Var) -> Var:
    """A tensor of at most one dimension as a vector."""
    return tensor if call.writer.rank(tensor) else call.writer.reshape(tensor, [1])


_SPLITS = {"aten::hsplit": 1, "aten::vsplit": 0, "aten::dsplit": 2}
"""Operator → the axis."""


@pnnx_op(*_SPLITS)
def axis_split(call: Call) -> Value:
    """A list of the parts of an axis, as ``tensor_split`` cuts them."""
    writer, cuts = call.writer, call.value(1)
    axis = min(_SPLITS[call.type], writer.rank(call.x) - 1)
    if not isinstance(cuts, int) or cuts < 1:
        raise call.error(f"input 1: expected a number of parts, got {cuts!r}")
    return list(writer.emit("split", {"X": call.x}, {"axis": axis, "num": cuts}, {"Out": cuts}))


def _tensors(call: Call) -> list[Var]:
    """The tensors of the list that is the first input."""
    items = call.value(0)
    if not isinstance(items, list) or not items or not all(isinstance(item, Var) for item in items):
        raise call.error(f"input 0: expected a list of tensors, got {items!r}")
    return [item for item in items if isinstance(item, Var)]


@pnnx_op("prim::TupleConstruct", "prim::ListConstruct")
def construct(call: Call) -> Value:
    """A list of the operands."""
    return list(call.inputs)


@pnnx_op("prim::TupleUnpack", "prim::ListUnpack")
def unpack(call: Call) -> Results:
    """The members of a list."""
    members = call.value(0)
    if not isinstance(members, list):
        raise call.error(f"expected a tuple or list, got {members!r}")
    return Results(members)
