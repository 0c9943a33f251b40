"""ONNX CumSum and CumProd."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import numbers_of

_TABLE: dict[str, tuple[str, str, dict[str, AttrValue]]] = {
    "CumProd": ("cumprod", "dim", {}),
    "CumSum": ("cumsum", "axis", {"keep_single": False}),
}
"""ONNX op → ours, our name of the axis, and what makes it mean the same."""


@onnx_op(*_TABLE)
def running(node: OnnxNode, writer: BlockWriter) -> None:
    """The axis is an input."""
    op, name, attrs = _TABLE[node.op]
    attrs = {**attrs, **{key: bool(node.integer(key, 0)) for key in ("exclusive", "reverse")}}
    axis = numbers_of(writer, node.input(1))
    if axis.known is not None:
        attrs[name] = axis.known[0]
    writer.emit(op, {"X": node.input(0), **axis.slot("AxisTensor")}, {"Out": node.output()}, attrs)
