"""Ops that pick rows or elements by index, and those that put them back."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_tensor import unknown_number
from lite.bridges.openvino.support import ANY, FLOAT, INDEX, NARROW, DTypes
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, bridge

_INDEX: tuple[tuple[str, DTypes], ...] = (("Index", INDEX), ("Ids", INDEX), ("Axis", INDEX))


def _why_not_gather(op: BridgeOp) -> str | None:
    return unknown_number(op, "axis", "Axis")


def _gather(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    if op["Index"].rank == 2:
        index = b.reshape(index, [-1])
    return b.op.gather(x, index, b.integer(op["X"].axis(element(op, "axis", "Axis") or 0)))


def _index_select(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    return b.op.gather(x, index, b.integer(op["X"].axis(op.integer("dim"))))


def _take(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    return b.op.gather(x, index, b.integer(op["X"].axis(op.integer("axis"))))


def _why_not_gather_nd(op: BridgeOp) -> str | None:
    depth = op["Index"].dims[-1]
    return None if isinstance(depth, int) else f"the last size of Index must be known, it is {op['Index']}"


def _gather_nd(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    return b.op.gather_nd(x, index, op.integer("batch_dims"))


def _lookup(b: Builder, op: BridgeOp, table: Tensor, ids: Tensor) -> Tensor:
    if op.op == "lookup_table":
        ids = b.op.squeeze(ids, b.ints([op["Ids"].rank - 1]))
    rows = b.op.gather(table, ids, b.integer(0))
    padding = op.integer("padding_idx")
    if padding == -1:
        return rows
    kept = b.op.unsqueeze(b.op.not_equal(ids, b.like(padding, ids)), b.ints([-1]))
    return b.op.select(kept, rows, b.like(0, rows))


def _cut(op: BridgeOp) -> list[int]:
    """The axes besides `Axis` on which Index is smaller than Input."""
    axis = op["Input"].axis(op.integer("Axis"))
    pairs = enumerate(zip(op["Input"].dims, op["Index"].dims, strict=True))
    return [n for n, (size, count) in pairs if n != axis and size != count]


def _why_not_along(op: BridgeOp) -> str | None:
    counts = op["Index"].dims
    if any(isinstance(counts[n], str) for n in _cut(op)):
        return f"Index is {op['Index']}, not as large as Input, {op['Input']}: its sizes must be known"
    return None


def _take_along_axis(b: Builder, op: BridgeOp, x: Tensor, index: Tensor) -> Tensor:
    """Only so much of Input is read as Index has; by Split, since OpenVINO drops Slice here, wrongly."""
    for n in _cut(op):
        x = b.op.variadic_split(x, b.integer(n), b.ints([int(op["Index"].dims[n]), -1])).output(0)
    return b.op.gather_elements(x, index, op["Input"].axis(op.integer("Axis")))


_SCATTERS = {"assign": "none", "add": "sum", "mul": "prod", "multiply": "prod", "amin": "min", "amax": "max"}


def _why_not_put(op: BridgeOp) -> str | None:
    if op.text("Reduce") not in _SCATTERS:
        return f"Reduce is {op.text('Reduce')!r}, expected one of {', '.join(_SCATTERS)}"
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
    """Rows that are added first become zero."""
    places = b.reshape(ids, [-1, 1])
    if op.flag("overwrite"):
        return b.op.scatter_nd_update(x, places, updates, "none")
    zeros = b.op.multiply(updates, b.like(0, updates))
    return b.op.scatter_nd_update(b.op.scatter_nd_update(x, places, zeros, "none"), places, updates, "sum")


def _scatter_nd(b: Builder, _: BridgeOp, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    return b.op.scatter_nd_update(x, index, updates, "sum")


def _why_not_reduction(op: BridgeOp) -> str | None:
    if op.text("reduction") not in ("assign", "none"):
        return f"reduction is {op.text('reduction')!r}, expected assign"
    return _why_not_gather_nd(op)


def _scatter_nd_update(b: Builder, _: BridgeOp, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    return b.op.scatter_nd_update(x, index, updates, "none")


bridge("openvino", "gather")(Row("X Index", _gather, ANY, _INDEX, why=_why_not_gather))
bridge("openvino", "index_select")(Row("X Index", _index_select, ANY, _INDEX))
bridge("openvino", "take")(Row("X Index", _take, ANY, _INDEX))
bridge("openvino", "gather_nd")(Row("X Index", _gather_nd, ANY, _INDEX, why=_why_not_gather_nd))
bridge("openvino", "lookup_table_v2", "lookup_table")(Row("W Ids", _lookup, FLOAT, _INDEX))
bridge("openvino", "take_along_axis")(Row("Input Index", _take_along_axis, ANY, _INDEX, why=_why_not_along))
bridge("openvino", "put_along_axis")(
    Row("Input Index Value", _put_along_axis, FLOAT, _INDEX, why=_why_not_put)
)
bridge("openvino", "scatter")(Row("X Ids Updates", _scatter, NARROW, _INDEX, why=_why_not_scatter))
bridge("openvino", "scatter_nd_add")(
    Row("X Index Updates", _scatter_nd, NARROW, _INDEX, why=_why_not_gather_nd)
)
bridge("openvino", "scatter_nd_update")(
    Row("X Index Updates", _scatter_nd_update, NARROW, _INDEX, why=_why_not_reduction)
)
