"""Tensors with elements replaced, or added to, by index."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.indexing import Indices, read_indices
from lite.model_parser.pnnx.ops.index import gathered, inverse
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("Tensor.index_put", "torch.index_put")
def index_put(call: Call) -> Value:
    """`scatter_nd_update`, or `scatter_nd_add` to accumulate; a number where a mask holds is a `where`."""
    writer = call.writer
    value = arithmetic.as_term(call.arg("values"))
    values = arithmetic.as_var(writer, value, writer.dtype(call.x))
    accumulates = call.flag("accumulate", False)
    mask = _only_mask(call)
    if mask is not None and writer.shape(values) in ((), (1,)) and not accumulates:
        missing = writer.rank(call.x) - writer.rank(mask)
        if missing:
            mask = writer.unary("unsqueeze2", mask, {"axes": [writer.rank(mask) + n for n in range(missing)]})
        return writer.emit_one("where", {"Condition": mask, "X": values, "Y": call.x})
    return _scattered(call, read_indices(call, "indices"), values, accumulates)


def _only_mask(call: Call) -> Var | None:
    """The mask of bools that is the only index, if there is one."""
    entries = call.arg("indices")
    if not isinstance(entries, list) or len(entries) != 1 or not isinstance(entries[0], Var):
        return None
    return entries[0] if call.writer.dtype(entries[0]) == DType.BOOL else None


def _scattered(call: Call, indices: Indices, values: Var, accumulates: bool) -> Var:
    writer, rank = call.writer, call.writer.rank(call.x)
    coordinates = indices.coordinates(writer)
    order = indices.leading(rank)
    x = call.x if order == [*range(rank)] else writer.transpose(call.x, order)
    # The values broadcast to what the indices read, in whose order the update is written.
    read, to_front = gathered(writer, call.x, indices, coordinates)
    updates = writer.emit_one("expand_as_v2", {"X": values, "Y": read})
    if to_front is not None:
        updates = writer.transpose(updates, to_front)
    inputs = {"X": x, "Index": coordinates, "Updates": updates}
    result = writer.emit_one("scatter_nd_add" if accumulates else "scatter_nd_update", inputs)
    return result if x is call.x else writer.transpose(result, inverse(order))
