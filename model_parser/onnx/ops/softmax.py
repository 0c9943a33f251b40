"""ONNX Softmax, LogSoftmax and Hardmax."""

from __future__ import annotations

from lite.ir.types import is_known
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_SAME = {"Hardmax": "hardmax", "LogSoftmax": "log_softmax", "Softmax": "softmax"}


@onnx_op(*_SAME)
def softmax(node: OnnxNode, writer: BlockWriter) -> None:
    """Along one axis; before opset 13, over all axes from `axis` on, which for the last is the same."""
    op, source = _SAME[node.op], node.input(0)
    if node.opset >= 13:
        writer.unary(op, source, {"axis": node.integer("axis", -1)}, node.output())
        return
    axis, rank = node.integer("axis", 1), writer.rank(source)
    if axis == -1 or (rank is not None and axis == rank - 1):
        writer.unary(op, source, {"axis": -1}, node.output())
        return
    rows = writer.unary(op, writer.unary("flatten2", source, {"axis": axis}), {"axis": -1})
    shape = writer.shape(source)
    if is_known(shape) and shape is not None:
        writer.unary(
            "reshape2", rows, {"shape": [dim for dim in shape if isinstance(dim, int)]}, node.output()
        )
        return
    dims = writer.new(source)
    writer.emit("shape", {"Input": source}, {"Out": dims})
    writer.emit("reshape2", {"X": rows, "Shape": dims}, {"Out": node.output()})
