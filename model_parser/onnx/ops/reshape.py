"""ONNX Reshape, Flatten, Squeeze and Unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, numbers_of, whole_numbers


@onnx_op("Reshape")
def reshape(node: OnnxNode, writer: BlockWriter) -> None:
    """A size of 0 is the input's, or with ``allowzero`` really 0."""
    source, shape = node.input(0), numbers_of(writer, node.input(1))
    if node.integer("allowzero", 0) and (shape.known is None or 0 in shape.known):
        # Of a vector without elements, a 0 that copies its size copies 0.
        source = writer.unary("reshape2", source, {"shape": [-1]})
    writer.emit("reshape2", {"X": source, **shape.slot("Shape")}, {"Out": node.output()}, shape.attr("shape"))


@onnx_op("Flatten")
def flatten(node: OnnxNode, writer: BlockWriter) -> None:
    """A matrix, of a tensor without axes too."""
    source = node.input(0)
    if writer.rank(source) == 0:
        writer.unary("reshape2", source, {"shape": [1, 1]}, node.output())
        return
    writer.unary("flatten2", source, {"axis": node.integer("axis", 1)}, node.output())


@onnx_op("Squeeze")
def squeeze(node: OnnxNode, writer: BlockWriter) -> None:
    """Without axes, all of size 1 go."""
    axes = whole_numbers(node, writer, "axes", 1) or WholeNumbers([])
    if axes.known and _slice_without(writer, node.input(0), axes.known, node.output()):
        return
    inputs = {"X": node.input(0), **axes.slot("AxesTensor")}
    writer.emit("squeeze2", inputs, {"Out": node.output()}, axes.attr("axes"))
    shape = writer.shape(node.input(0))
    if shape is not None and axes.known and writer.shape(node.output()) is None:
        # ONNX's axes are surely of size 1.
        gone = [axis % len(shape) for axis in axes.known]
        left = tuple(size for axis, size in enumerate(shape) if axis not in gone)
        writer.describe(node.output(), writer.dtype(node.input(0)), left)


def _slice_without(writer: BlockWriter, source: str, axes: Sequence[int], out: str) -> bool:
    """Where a slice of one element along each axis comes before: a slice that leaves them out, as Paddle's.

    The slice before goes if nothing else reads it.
    """
    op, rank = writer.producer(source), writer.rank(source)
    if op is None or op.type != "slice" or list(op.inputs) != ["Input"] or rank is None or rank <= len(axes):
        return False
    attrs = {name: attr.value for name, attr in op.attrs.items()}
    along, starts, ends = (attrs.get(name) for name in ("axes", "starts", "ends"))
    if not (isinstance(along, list) and isinstance(starts, list) and isinstance(ends, list)):
        return False
    spans = {
        axis % rank: end - start
        for axis, start, end in zip(along, starts, ends, strict=True)
        if isinstance(axis, int) and isinstance(start, int) and isinstance(end, int)
    }
    gone = [axis % rank for axis in axes]
    if attrs.get("decrease_axis") or any(spans.get(axis) != 1 for axis in gone):
        return False
    writer.emit("slice", {"Input": op.inputs["Input"]}, {"Out": out}, {**attrs, "decrease_axis": gone})
    return True


@onnx_op("Unsqueeze")
def unsqueeze(node: OnnxNode, writer: BlockWriter) -> None:
    """Axes are those of the result; ours are inserted one after another."""
    axes = whole_numbers(node, writer, "axes", 1)
    if axes is None:
        raise node.error("axes are missing")
    if axes.known is not None:
        attrs = {"axes": [*_in_order(node, writer, axes.known)]}
        writer.unary("unsqueeze2", node.input(0), attrs, node.output())
        return
    inputs = {"X": node.input(0), "AxesTensor": _forward(writer, node.input(0), axes.name)}
    writer.emit("unsqueeze2", inputs, {"Out": node.output()})


def _forward(writer: BlockWriter, source: str, axes: str) -> str:
    """The axes counted from the front, in ascending order; they are known at run time only."""
    dims, rank, count, ordered = (writer.new(axes) for _ in range(4))
    writer.emit("shape", {"Input": source}, {"Out": dims})
    writer.emit("shape", {"Input": dims}, {"Out": rank})
    writer.emit("shape", {"Input": axes}, {"Out": count})
    total = writer.unary(
        "cast", writer.binary("elementwise_add", rank, count), {"out_dtype": DType.INT64.code}
    )
    forward = writer.binary("elementwise_mod", axes, total)
    writer.emit("argsort", {"X": forward}, {"Out": ordered, "Indices": writer.new(axes)}, {"axis": 0})
    return ordered


def _in_order(node: OnnxNode, writer: BlockWriter, axes: list[int]) -> list[int]:
    """Places that hold when each is inserted after the ones before it."""
    rank = writer.rank(node.input(0))
    if rank is not None:
        return sorted(axis % (rank + len(axes)) if -rank - len(axes) <= axis < 0 else axis for axis in axes)
    if all(axis >= 0 for axis in axes):
        return sorted(axes)
    if all(axis < 0 for axis in axes):
        return sorted(axes, reverse=True)
    raise node.error(f"axes: of a tensor of unknown rank, expected axes of one sign, got {axes}")
