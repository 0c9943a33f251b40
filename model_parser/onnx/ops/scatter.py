"""ONNX ops that write by index: Scatter, ScatterElements, ScatterND, TensorScatter."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_REDUCTIONS = {"none": "assign", "add": "add", "mul": "multiply", "max": "amax", "min": "amin"}


@onnx_op("Scatter", "ScatterElements")
def scatter_elements(node: OnnxNode, writer: BlockWriter) -> None:
    """put_along_axis; Scatter is its older name."""
    inputs = {"Input": node.input(0), "Index": node.input(1), "Value": node.input(2)}
    attrs: dict[str, AttrValue] = {"Axis": node.integer("axis", 0), "Reduce": _reduction(node)}
    writer.emit("put_along_axis", inputs, {"Result": node.output()}, attrs)


@onnx_op("ScatterND")
def scatter_nd(node: OnnxNode, writer: BlockWriter) -> None:
    """scatter_nd_add for sums, else scatter_nd_update."""
    inputs = {"X": node.input(0), "Index": node.input(1), "Updates": node.input(2)}
    reduction = _reduction(node)
    if reduction == "add":
        writer.emit("scatter_nd_add", inputs, {"Out": node.output()})
        return
    writer.emit("scatter_nd_update", inputs, {"Out": node.output()}, {"reduction": reduction})


@onnx_op("TensorScatter")
def tensor_scatter(node: OnnxNode, writer: BlockWriter) -> None:
    """Each of the batch from a start of its own on, or from 0."""
    mode = node.text("mode", "linear")
    if mode not in ("linear", "circular"):
        raise node.error(f"mode: expected linear or circular, got {mode!r}")
    inputs = {"X": node.input(0), "Updates": node.input(1), "Starts": node.optional(2)}
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis", -2), "mode": mode}
    writer.emit("tensor_scatter", inputs, {"Out": node.output()}, attrs)


def _reduction(node: OnnxNode) -> str:
    text = node.text("reduction", "none")
    if text not in _REDUCTIONS:
        raise node.error(f"reduction: expected one of {', '.join(_REDUCTIONS)}, got {text!r}")
    return _REDUCTIONS[text]
