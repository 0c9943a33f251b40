"""ONNX's optionals: a value, or none; which of the two is known when the model is read."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Optional")
def optional(node: OnnxNode, writer: BlockWriter) -> None:
    """The value itself; without one, only a note that there is none."""
    value = node.optional(0)
    if value is None or value in writer.absent:
        writer.absent.add(node.output())
    else:
        writer.unary("assign", value, out=node.output())


@onnx_op("OptionalHasElement")
def has_element(node: OnnxNode, writer: BlockWriter) -> None:
    """A constant; a tensor or sequence has an element."""
    value = node.optional(0)
    held = value is not None and value not in writer.absent
    attrs: dict[str, AttrValue] = {"shape": [], "dtype": DType.BOOL.code, "value": float(held)}
    writer.emit("fill_constant", {}, {"Out": node.output()}, attrs)


@onnx_op("OptionalGetElement")
def get_element(node: OnnxNode, writer: BlockWriter) -> None:
    """The value."""
    if node.input(0) in writer.absent:
        raise node.error(f"input {node.input(0)!r} has no element")
    writer.unary("assign", node.input(0), out=node.output())
