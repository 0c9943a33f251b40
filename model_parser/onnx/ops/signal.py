"""DFT; its axis is an attribute before opset 20, an input since."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_AXIS_AS_INPUT = 20


@onnx_op("DFT")
def dft(node: OnnxNode, writer: BlockWriter) -> None:
    """dft."""
    attrs: dict[str, AttrValue] = {
        "axis": node.integer("axis", 1),
        "inverse": bool(node.integer("inverse", 0)),
        "onesided": bool(node.integer("onesided", 0)),
    }
    inputs = {"X": node.input(0), "Length": node.optional(1)}
    if node.opset >= _AXIS_AS_INPUT:
        name = node.optional(2)
        known = None if name is None else writer.constant(name)
        attrs["axis"] = -2 if known is None else int(known.reshape(-1)[0])
        if known is None:
            inputs["Axis"] = name
    writer.emit("dft", inputs, {"Out": node.output()}, attrs)
