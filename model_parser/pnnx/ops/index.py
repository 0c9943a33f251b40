"""Reads by index."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.indexing import Indices, read_indices
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Writer


@pnnx_op("torch.index_select")
def index_select(call: Call) -> Value:
    """`index_select`."""
    inputs = {"X": call.x, "Index": call.tensor("index")}
    return call.writer.emit_one("index_select", inputs, {"dim": call.axis("dim", call.x)})


@pnnx_op("torch.gather")
def gather(call: Call) -> Value:
    """`take_along_axis`."""
    inputs = {"Input": call.x, "Index": call.tensor("index")}
    return call.writer.emit_one("take_along_axis", inputs, {"Axis": call.axis("dim", call.x)})


@pnnx_op("Tensor.index")
def index(call: Call) -> Value:
    """`take` along one axis, else `gather_nd`; a mask means the positions where it holds."""
    writer, indices = call.writer, read_indices(call, "expr")
    if len(indices.by_axis) == 1:
        ((axis, positions),) = indices.by_axis.items()
        result = writer.emit_one("take", {"X": call.x, "Index": positions}, {"axis": axis})
    else:
        result, _ = gathered(writer, call.x, indices, indices.coordinates(writer))
    if indices.is_unsized:
        writer.mark_unsized(result)
    return result


def gathered(writer: Writer, x: Var, indices: Indices, coordinates: Var) -> tuple[Var, list[int] | None]:
    """The elements at the coordinates, and the axes that put the new axes first, None where they are."""
    rank = writer.rank(x)
    order = indices.leading(rank)
    leading = x if order == [*range(rank)] else writer.transpose(x, order)
    result = writer.emit_one("gather_nd", {"X": leading, "Index": coordinates})
    if not indices.place:
        return result, None
    new = writer.rank(coordinates) - 1
    axes = [*range(new, new + indices.place), *range(new), *range(new + indices.place, writer.rank(result))]
    return writer.transpose(result, axes), inverse(axes)


def inverse(axes: Sequence[int]) -> list[int]:
    """The order of axes that undoes a transpose by `axes`."""
    return [axes.index(axis) for axis in range(len(axes))]


@pnnx_op("torch.masked_select")
def masked_select(call: Call) -> Value:
    """`gather_nd` where the mask, which broadcasts, holds."""
    writer, mask = call.writer, call.tensor("mask")
    x = call.x
    if writer.shape(mask) != writer.shape(x):
        zeros = writer.unary("fill_any_like", x, {"value": 0.0, "dtype": DType.BOOL.code})
        none = writer.unary("fill_any_like", mask, {"value": 0.0, "dtype": writer.dtype(x).code})
        x, mask = writer.binary("elementwise_add", x, none), writer.binary("logical_or", mask, zeros)
    places = writer.emit_one("where_index", {"Condition": mask})
    result = writer.emit_one("gather_nd", {"X": x, "Index": places})
    writer.mark_unsized(result)
    return result


@pnnx_op("aten::where", "aten::nonzero", "torch.nonzero")
def nonzero(call: Call) -> Value:
    """`where_index`; of ``where``, a list with the positions along each axis."""
    writer = call.writer
    places = writer.emit_one("where_index", {"Condition": call.x})
    writer.mark_unsized(places)
    if call.type != "aten::where":
        return places
    columns = writer.emit("unbind", {"X": places}, {"axis": 1}, {"Out": writer.rank(call.x)})
    for column in columns:
        writer.mark_unsized(column)
    return list(columns)


@pnnx_op("aten::take", "torch.take")
def take(call: Call) -> Value:
    """`take` from the flattened tensor."""
    flat = call.writer.reshape(call.x, [-1])
    return call.writer.emit_one("take", {"X": flat, "Index": call.tensor(1)}, {"axis": 0})


@pnnx_op("F.one_hot")
def one_hot(call: Call) -> Value:
    """`one_hot_v2` of int64."""
    depth = call.integer("num_classes", -1)
    if depth < 0:
        raise call.error("expected num_classes, which else follows from the data")
    attrs: dict[str, AttrValue] = {"depth": depth, "dtype": DType.INT64.code}
    return call.writer.unary("one_hot_v2", call.x, attrs)


@pnnx_op("nn.Embedding", "F.embedding")
def embedding(call: Call) -> Value:
    """`lookup_table_v2`."""
    weight = call.weight("weight") if call.type == "nn.Embedding" else call.tensor("weight")
    return call.writer.emit_one("lookup_table_v2", {"W": weight, "Ids": call.x})
