"""Reads and writes by index: Gather, Scatter and their variants, and Compress."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_REDUCTIONS = {"none": "assign", "add": "add", "mul": "multiply", "max": "amax", "min": "amin"}


@onnx_op("Gather")
def gather(node: OnnxNode, writer: BlockWriter) -> None:
    """`gather` for indices of rank 0 or 1, `take` for others."""
    source, index = node.input(0), node.input(1)
    op = "gather" if writer.rank(index) in (0, 1) else "take"
    writer.emit(op, {"X": source, "Index": index}, {"Out": node.output()}, {"axis": node.integer("axis", 0)})


@onnx_op("GatherElements")
def gather_elements(node: OnnxNode, writer: BlockWriter) -> None:
    """`take_along_axis`."""
    inputs = {"Input": node.input(0), "Index": node.input(1)}
    writer.emit("take_along_axis", inputs, {"Result": node.output()}, {"Axis": node.integer("axis", 0)})


@onnx_op("GatherND")
def gather_nd(node: OnnxNode, writer: BlockWriter) -> None:
    """`gather_nd`."""
    inputs = {"X": node.input(0), "Index": node.input(1)}
    writer.emit("gather_nd", inputs, {"Out": node.output()}, {"batch_dims": node.integer("batch_dims", 0)})


@onnx_op("Compress")
def compress(node: OnnxNode, writer: BlockWriter) -> None:
    """`compress`, of the flattened tensor if there is no axis."""
    source = node.input(0)
    if not node.has("axis"):
        source = writer.unary("reshape2", source, {"shape": [-1]})
    inputs = {"X": source, "Condition": node.input(1)}
    writer.emit("compress", inputs, {"Out": node.output()}, {"axis": node.integer("axis", 0)})


@onnx_op("Scatter", "ScatterElements")
def scatter_elements(node: OnnxNode, writer: BlockWriter) -> None:
    """`put_along_axis`; Scatter is the name before opset 11."""
    inputs = {"Input": node.input(0), "Index": node.input(1), "Value": node.input(2)}
    attrs: dict[str, AttrValue] = {"Axis": node.integer("axis", 0), "Reduce": _reduction(node)}
    writer.emit("put_along_axis", inputs, {"Result": node.output()}, attrs)


@onnx_op("ScatterND")
def scatter_nd(node: OnnxNode, writer: BlockWriter) -> None:
    """`scatter_nd_add` for the reduction add, else `scatter_nd_update`."""
    inputs = {"X": node.input(0), "Index": node.input(1), "Updates": node.input(2)}
    reduction = _reduction(node)
    if reduction == "add":
        writer.emit("scatter_nd_add", inputs, {"Out": node.output()})
        return
    writer.emit("scatter_nd_update", inputs, {"Out": node.output()}, {"reduction": reduction})


@onnx_op("TensorScatter")
def tensor_scatter(node: OnnxNode, writer: BlockWriter) -> None:
    """`tensor_scatter`; Starts, which is optional, has one number for each element of the batch."""
    mode = node.string("mode", "linear")
    if mode not in ("linear", "circular"):
        raise node.error(f"mode: expected linear or circular, got {mode!r}")
    inputs = {"X": node.input(0), "Updates": node.input(1), "Starts": node.optional(2)}
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis", -2), "mode": mode}
    writer.emit("tensor_scatter", inputs, {"Out": node.output()}, attrs)


def _reduction(node: OnnxNode) -> str:
    name = node.string("reduction", "none")
    if name not in _REDUCTIONS:
        raise node.error(f"reduction: expected one of {', '.join(_REDUCTIONS)}, got {name!r}")
    return _REDUCTIONS[name]
