"""gather, scatter and their kin → Gather, GatherND, GatherElements, Scatter…Update, NonZero (opset 15).

Indices are int32 or int64; axes are known.  OpenVINO does not detect indices out of range.  scatter_nd_* and
gather_nd take vectors of known length; put_along_axis takes Value of the shape of Index.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import ANY, BOOL, FLOAT, FLOAT_OR_INT32, INDEX, NUMBER
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_inputs import why_not_unknown_integer
from lite.ir.graph import Value
from lite.ir.types import DType
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, bridge

_INDEX = {"Index": INDEX, "Ids": INDEX, "Axis": INDEX}


def _why_not_gather(op: BridgeOp) -> str | None:
    return why_not_unknown_integer(op, "axis", "Axis")


def _gather(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    if op["Index"].rank == 2:
        index = b.reshape(index, [-1])
    return b.op.gather(x, index, b.integer(op["X"].axis(element(op, "axis", "Axis") or 0)))


def _take(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    return b.op.gather(x, index, b.integer(op["X"].axis(op.integer("axis"))))


def _why_not_gather_nd(op: BridgeOp) -> str | None:
    depth = op["Index"].dims[-1]
    return None if isinstance(depth, int) else f"the last size of Index must be known, it is {op['Index']}"


def _gather_nd(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    return b.op.gather_nd(x, index, op.integer("batch_dims"))


def _lookup(b: Builder, op: BridgeOp, table: Tensor, ids: Tensor) -> Tensor:
    rows = b.op.gather(table, ids, b.integer(0))
    padding = op.integer("padding_idx")
    if padding == -1:
        return rows
    kept = b.op.unsqueeze(b.op.not_equal(ids, b.like(padding, ids)), b.ints([-1]))
    return b.op.select(kept, rows, b.like(0, rows))


def _smaller_axes(op: BridgeOp) -> list[int]:
    """The axes other than `Axis` on which Index is smaller than Input."""
    axis = op["Input"].axis(op.integer("Axis"))
    pairs = enumerate(zip(op["Input"].dims, op["Index"].dims, strict=True))
    return [n for n, (size, count) in pairs if n != axis and size != count]


def _why_not_along(op: BridgeOp) -> str | None:
    counts = op["Index"].dims
    if any(isinstance(counts[n], str) for n in _smaller_axes(op)):
        return f"Index is {op['Index']}, smaller than Input, {op['Input']}: its sizes must be known"
    return None


def _take_along_axis(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    """Input is cut to the sizes of Index; by VariadicSplit, as OpenVINO wrongly removes a Slice here."""
    for n in _smaller_axes(op):
        x = b.op.variadic_split(x, b.integer(n), b.ints([int(op["Index"].dims[n]), -1])).output(0)
    return b.op.gather_elements(x, index, op["Input"].axis(op.integer("Axis")))


_SCATTERS = {"assign": "none", "add": "sum", "mul": "prod", "multiply": "prod", "amin": "min", "amax": "max"}


def _why_not_put(op: BridgeOp) -> str | None:
    if op.text("Reduce") not in _SCATTERS:
        return f"Reduce is {op.text('Reduce')!r}, expected one of {', '.join(_SCATTERS)}"
    if not op.flag("Include_self") and op.text("Reduce") != "assign":
        return "it leaves out the elements of Input (Include_self=false)"
    if op["Value"].dims != op["Index"].dims:
        return f"Value is {op['Value']}: expected the shape of Index, {op['Index']}"
    return None


def _put_along_axis(b: Builder, op: BridgeOp, x: Tensor, index: Tensor, value: Tensor) -> Tensor:
    axis = b.integer(op["Input"].axis(op.integer("Axis")))
    return b.op.scatter_elements_update(x, index, value, axis, _SCATTERS[op.text("Reduce")])


def _why_not_scatter(op: BridgeOp) -> str | None:
    if op["Updates"].rank != op["X"].rank:
        return f"Updates is {op['Updates']}: expected rank {op['X'].rank} like X"
    return None


def _scatter(b: Builder, op: BridgeOp, x: Tensor, ids: Tensor, updates: Tensor) -> Tensor:
    """Without `overwrite`, the rows start at zero."""
    rows = b.reshape(ids, [-1, 1])
    if op.flag("overwrite"):
        return b.op.scatter_nd_update(x, rows, updates, "none")
    zeros = b.op.multiply(updates, b.like(0, updates))
    return b.op.scatter_nd_update(b.op.scatter_nd_update(x, rows, zeros, "none"), rows, updates, "sum")


def _scatter_nd(b: Builder, _: BridgeOp, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    return b.op.scatter_nd_update(x, index, updates, "sum")


def _why_not_reduction(op: BridgeOp) -> str | None:
    if op.text("reduction") not in ("assign", "none"):
        return f"reduction is {op.text('reduction')!r}, expected assign"
    return _why_not_gather_nd(op)


def _scatter_nd_update(b: Builder, _: BridgeOp, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    return b.op.scatter_nd_update(x, index, updates, "none")


def _where_index(b: Builder, op: BridgeOp, condition: Tensor) -> Tensor:
    if op["Condition"].dtype is not DType.BOOL:
        # OpenVINO drops a conversion before NonZero, so that 0.5 as an integer would not be 0.
        condition = b.op.not_equal(condition, b.like(0, condition))
    return b.transpose(b.op.non_zero(condition, "i64"), [1, 0])


def _why_not_where_index(op: BridgeOp) -> str | None:
    """OpenVINO folds what follows from constants; a gather by no indices among it divides by zero."""
    if not op["Condition"].rank:
        return "Condition has no axes"
    if _is_constant(op.node.input("Condition")):
        return "Condition follows from constants, and OpenVINO fails to fold ops by no indices"
    return None


def _is_constant(value: Value) -> bool:
    """Whether a value follows from constants alone."""
    seen: set[Value] = set()
    left = [value]
    while left:
        each = left.pop()
        if each in seen or each.data is not None:
            continue
        seen.add(each)
        if each.producer is None:
            return False
        left.extend(each.producer.all_inputs())
    return True


bridge("openvino", "gather")(Row("X Index", _gather, ANY, _INDEX, check=_why_not_gather))
bridge("openvino", "take")(Row("X Index", _take, ANY, _INDEX))
bridge("openvino", "gather_nd")(Row("X Index", _gather_nd, ANY, _INDEX, check=_why_not_gather_nd))
bridge("openvino", "lookup_table_v2")(Row("W Ids", _lookup, FLOAT, _INDEX))
bridge("openvino", "take_along_axis")(Row("Input Index", _take_along_axis, ANY, _INDEX, check=_why_not_along))
bridge("openvino", "put_along_axis")(
    Row("Input Index Value", _put_along_axis, FLOAT, _INDEX, check=_why_not_put)
)
bridge("openvino", "scatter")(Row("X Ids Updates", _scatter, FLOAT_OR_INT32, _INDEX, check=_why_not_scatter))
bridge("openvino", "scatter_nd_add")(
    Row("X Index Updates", _scatter_nd, FLOAT_OR_INT32, _INDEX, check=_why_not_gather_nd)
)
bridge("openvino", "scatter_nd_update")(
    Row("X Index Updates", _scatter_nd_update, FLOAT_OR_INT32, _INDEX, check=_why_not_reduction)
)
bridge("openvino", "where_index")(Row("Condition", _where_index, BOOL | NUMBER, check=_why_not_where_index))
