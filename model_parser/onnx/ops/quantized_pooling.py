"""ONNX Runtime's QLinear poolings: dequantise → pooling → quantise, in either layout."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import dequantize, quantize, read_quantization
from lite.model_parser.onnx.translations import onnx_op, translate

_OPS = {
    "com.microsoft.QLinearAveragePool": ("AveragePool", DType.FLOAT32, True),
    "com.microsoft.QLinearGlobalAveragePool": ("GlobalAveragePool", DType.FLOAT64, False),
}
"""ONNX op, the type that it computes in, and whether the zero point is added before rounding."""


@onnx_op(*_OPS)
def pool(node: OnnxNode, writer: BlockWriter) -> None:
    """The pooling of the table; with ``channels_last``, between two `transpose2`."""
    op, compute, zero_point_first = _OPS[node.op]
    x, out = node.input(0), node.output()
    dtype = writer.dtype(x)
    source = read_quantization(node, writer, dtype, 1, 2)
    target = read_quantization(node, writer, dtype, 3, 4)
    last = bool(node.integer("channels_last", 0))
    rank = writer.known_rank(x) if last else 0
    if last:
        x = writer.unary("transpose2", x, {"axis": [0, rank - 1, *range(1, rank - 1)]})
    result = writer.new_name(out)
    translate(node.as_op(op, [dequantize(writer, x, source, compute)], [result]), writer)
    quantized = writer.new_name(out) if last else out
    quantize(writer, result, target, quantized, zero_point_first=zero_point_first)
    if last:
        writer.unary("transpose2", quantized, {"axis": [0, *range(2, rank), 1]}, out)
