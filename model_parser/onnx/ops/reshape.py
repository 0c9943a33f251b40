"""ONNX Reshape, Flatten, Squeeze and Unsqueeze."""

from __future__ import annotations

import numpy as np

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
    writer.emit(
        "reshape2", {"X": source, **shape.slot("Shape")}, {"Out": node.output()}, shape.attr("shape")
    )


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
    inputs = {"X": node.input(0), **axes.slot("AxesTensor")}
    writer.emit("squeeze2", inputs, {"Out": node.output()}, axes.attr("axes"))


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
    rank = writer.rank(node.input(0))
    if axes.count is None or rank is None:
        raise node.error("axes: expected constants, or a number of axes and a rank that are known")
    total = writer.weight(np.array(rank + axes.count), axes.name)
    forward = writer.binary("elementwise_mod", axes.name, total)
    ordered = writer.new(axes.name)
    writer.emit("argsort", {"X": forward}, {"Out": ordered, "Indices": writer.new(axes.name)}, {"axis": 0})
    writer.emit("unsqueeze2", {"X": node.input(0), "AxesTensor": ordered}, {"Out": node.output()})


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
