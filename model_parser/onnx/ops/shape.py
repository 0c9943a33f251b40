"""Shapes: Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Expand and Tile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.integer_operand import IntegerOperand, integer_operand, integers_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_TO_THE_END = 2**31 - 1


@onnx_op("Shape")
def shape(node: OnnxNode, writer: BlockWriter) -> None:
    """`shape`, cast to int64, and a `slice` of it where the node has ``start`` or ``end``."""
    start, end = node.integer("start", 0), node.integer("end", _TO_THE_END)
    sizes = writer.shape_of(node.input(0))
    if (start, end) == (0, _TO_THE_END):
        writer.cast(sizes, DType.INT64, node.output())
        return
    attrs: dict[str, AttrValue] = {"axes": [0], "starts": [start], "ends": [end]}
    writer.emit("slice", {"Input": writer.cast(sizes, DType.INT64)}, {"Out": node.output()}, attrs)


@onnx_op("Size")
def size(node: OnnxNode, writer: BlockWriter) -> None:
    """`reduce_prod` of `shape`."""
    sizes = writer.cast(writer.shape_of(node.input(0)), DType.INT64)
    writer.unary("reduce_prod", sizes, {"reduce_all": True}, node.output())


@onnx_op("Reshape")
def reshape(node: OnnxNode, writer: BlockWriter) -> None:
    """`reshape2`, in which a size of 0 copies the size of the input; with ``allowzero`` it stays 0."""
    source, shape = node.input(0), integers_of(writer, node.input(1))
    if node.integer("allowzero", 0) and (shape.values is None or 0 in shape.values):
        # In a reshape of an empty vector, a copied size is 0.
        source = writer.unary("reshape2", source, {"shape": [-1]})
    writer.emit("reshape2", {"X": source, **shape.slot("Shape")}, {"Out": node.output()}, shape.attr("shape"))


@onnx_op("Flatten")
def flatten(node: OnnxNode, writer: BlockWriter) -> None:
    """`flatten2`, or a reshape for a tensor of rank 0, which becomes a matrix, too."""
    source = node.input(0)
    if writer.rank(source) == 0:
        writer.unary("reshape2", source, {"shape": [1, 1]}, node.output())
        return
    writer.unary("flatten2", source, {"axis": node.integer("axis", 1)}, node.output())


@onnx_op("Squeeze")
def squeeze(node: OnnxNode, writer: BlockWriter) -> None:
    """`squeeze2`; a preceding slice of one element is merged into it.  Without axes, all of size 1."""
    axes = integer_operand(node, writer, "axes", 1) or IntegerOperand([])
    if axes.values and _merge_slice(writer, node.input(0), axes.values, node.output()):
        return
    inputs = {"X": node.input(0), **axes.slot("AxesTensor")}
    writer.emit("squeeze2", inputs, {"Out": node.output()}, axes.attr("axes"))
    shape = writer.shape(node.input(0))
    if shape is not None and axes.values and writer.shape(node.output()) is None:
        # ONNX requires size 1 of the axes, also where the size is unknown.
        removed = [axis % len(shape) for axis in axes.values]
        sizes = tuple(size for axis, size in enumerate(shape) if axis not in removed)
        writer.set_type(node.output(), writer.dtype(node.input(0)), sizes)


def _merge_slice(writer: BlockWriter, source: str, axes: Sequence[int], out: str) -> bool:
    """For a squeeze after a slice of one element along `axes`: write one slice that drops the axes.

    A pass removes the first slice where no other op reads it.  Returns False where `source` is not such a
    slice.
    """
    op, rank = writer.producer(source), writer.rank(source)
    if op is None or op.type != "slice" or list(op.inputs) != ["Input"] or rank is None or rank <= len(axes):
        return False
    attrs = {name: attr.value for name, attr in op.attrs.items()}
    sliced, starts, ends = (attrs.get(name) for name in ("axes", "starts", "ends"))
    if not (isinstance(sliced, list) and isinstance(starts, list) and isinstance(ends, list)):
        return False
    lengths = {
        axis % rank: end - start
        for axis, start, end in zip(sliced, starts, ends, strict=True)
        if isinstance(axis, int) and isinstance(start, int) and isinstance(end, int)
    }
    dropped = [axis % rank for axis in axes]
    if attrs.get("decrease_axis") or any(lengths.get(axis) != 1 for axis in dropped):
        return False
    writer.emit("slice", {"Input": op.inputs["Input"]}, {"Out": out}, {**attrs, "decrease_axis": dropped})
    return True


@onnx_op("Unsqueeze")
def unsqueeze(node: OnnxNode, writer: BlockWriter) -> None:
    """`unsqueeze2`, which inserts its axes one after another; ONNX's axes are positions in the result."""
    axes = integer_operand(node, writer, "axes", 1)
    if axes is None:
        raise node.error("axes are missing")
    order = None if axes.values is None else _insertion_order(writer.rank(node.input(0)), axes.values)
    if order is not None:
        writer.unary("unsqueeze2", node.input(0), {"axes": [*order]}, node.output())
        return
    name = axes.name or writer.weight(np.asarray(axes.values, np.int64), node.output())
    inputs = {"X": node.input(0), "AxesTensor": _computed_insertion_order(writer, node.input(0), name)}
    writer.emit("unsqueeze2", inputs, {"Out": node.output()})


def _computed_insertion_order(writer: BlockWriter, source: str, axes: str) -> str:
    """Ops that compute the axes, counted from the front, in ascending order."""
    dims, rank, count, ordered = (writer.new_name(axes) for _ in range(4))
    writer.emit("shape", {"Input": source}, {"Out": dims})
    writer.emit("shape", {"Input": dims}, {"Out": rank})
    writer.emit("shape", {"Input": axes}, {"Out": count})
    total = writer.cast(writer.binary("elementwise_add", rank, count), DType.INT64)
    forward = writer.binary("elementwise_mod", axes, total)
    writer.emit("argsort", {"X": forward}, {"Out": ordered, "Indices": writer.new_name(axes)}, {"axis": 0})
    return ordered


def _insertion_order(rank: int | None, axes: list[int]) -> list[int] | None:
    """The axes in an order in which they can be inserted; None if it depends on the rank."""
    if rank is not None:
        return sorted(axis % (rank + len(axes)) if -rank - len(axes) <= axis < 0 else axis for axis in axes)
    if all(axis >= 0 for axis in axes):
        return sorted(axes)
    if all(axis < 0 for axis in axes):
        return sorted(axes, reverse=True)
    return None


@onnx_op("Transpose")
def transpose(node: OnnxNode, writer: BlockWriter) -> None:
    """`transpose2`; without ``perm``, with the axes in reverse order (unknown rank: `reverse_axes`)."""
    axes = node.integers("perm")
    if axes is None:
        rank = writer.rank(node.input(0))
        if rank is None:
            writer.unary("reverse_axes", node.input(0), out=node.output())
            return
        axes = list(range(rank))[::-1]
    writer.unary("transpose2", node.input(0), {"axis": [*axes]}, node.output())


@onnx_op("Expand")
def expand(node: OnnxNode, writer: BlockWriter) -> None:
    """`expand_v2` where the shapes are known, else `broadcast_to`; a size of 1 keeps the input's."""
    source, shape = node.input(0), integers_of(writer, node.input(1))
    rank = writer.rank(source)
    if shape.values is None or rank is None:
        inputs = {"X": source, **shape.slot("Shape")}
        writer.emit("broadcast_to", inputs, {"Out": node.output()}, shape.attr("shape"))
        return
    sizes = [1] * (rank - len(shape.values)) + shape.values
    leading = len(sizes) - rank
    targets: list[int] = [-1 if n >= leading and size == 1 else size for n, size in enumerate(sizes)]
    writer.unary("expand_v2", source, {"shape": targets}, node.output())


@onnx_op("Tile")
def tile(node: OnnxNode, writer: BlockWriter) -> None:
    """`tile`."""
    times = integers_of(writer, node.input(1))
    inputs = {"X": node.input(0), **times.slot("RepeatTimes")}
    writer.emit("tile", inputs, {"Out": node.output()}, times.attr("repeat_times"))
