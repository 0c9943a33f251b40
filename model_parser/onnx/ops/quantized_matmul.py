"""Matrix products of quantised tensors.

Sums of products are int32; what follows is computed in float64, as ONNX Runtime's results are rounded.
"""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import (
    Quantization,
    converted,
    quantize,
    read_quantization,
)
from lite.model_parser.onnx.quantized_product import as_column, axis_size, float_product, integer_sums, scaled
from lite.model_parser.onnx.translations import onnx_op

register_custom_ops({"MatMulInteger": CustomOp("integer_matmul", "X Y XZeroPoint YZeroPoint")})


@onnx_op("QLinearMatMul")
def qlinear_matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of the centred matrices times the scales of A and B, quantised for the result."""
    first, second = node.input(0), node.input(3)
    rows = read_quantization(node, writer, writer.dtype(first), 1, 2, count=axis_size(writer, first, -2))
    columns = read_quantization(node, writer, writer.dtype(second), 4, 5, count=axis_size(writer, second, -1))
    target = read_quantization(node, writer, writer.dtype(node.input(7)), 6, 7)
    product = writer.cast(integer_sums(writer, (first, rows), (second, columns)), DType.FLOAT64)
    for scale in (as_column(writer, rows.scale), columns.scale):
        product = writer.binary("elementwise_mul", product, converted(writer, scale, DType.FLOAT64))
    quantize(writer, product, target, node.output())


@onnx_op("com.microsoft.QGemm")
def qgemm(node: OnnxNode, writer: BlockWriter) -> None:
    """``alpha · scale of A · scale of B · (A · B + C)``; float32 where the result has no scale."""
    first, second, bias = node.input(0), node.input(3), node.optional(6)
    transposed = bool(node.integer("transB", 0))
    columns = axis_size(writer, second, 0 if transposed else 1)
    a = read_quantization(node, writer, writer.dtype(first), 1, 2)
    b = read_quantization(node, writer, writer.dtype(second), 4, 5, count=columns)
    first, second = (
        writer.unary("transpose2", name, {"axis": [1, 0]}) if node.integer(flag, 0) else name
        for name, flag in ((first, "transA"), (second, "transB"))
    )
    total = writer.cast(integer_sums(writer, (first, a), (second, b)), DType.FLOAT64)
    if bias is not None:
        total = writer.binary("elementwise_add", total, converted(writer, bias, DType.FLOAT64))
    alpha = node.real("alpha", 1.0)
    if node.optional(7) is None:
        scaled(writer, total, a.scale, b.scale, alpha, node.output())
        return
    target = read_quantization(node, writer, writer.dtype(first), 7, 8)
    for scale in (a.scale, b.scale):
        total = writer.binary("elementwise_mul", total, converted(writer, scale, DType.FLOAT64))
    if alpha != 1:
        total = writer.unary("scale", total, {"scale": alpha})
    quantize(writer, total, target, node.output())


@onnx_op("com.microsoft.MatMulIntegerToFloat")
def matmul_integer_to_float(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of the centred matrices times both scales, plus the bias, as float32."""
    first, second = node.input(0), node.input(1)
    a = read_quantization(node, writer, writer.dtype(first), 2, 4)
    b = read_quantization(node, writer, writer.dtype(second), 3, 5, count=axis_size(writer, second, -1))
    float_product(writer, (first, a), (second, b), node.optional(6), node.output())


@onnx_op("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """`dynamic_quantize` of A, and the product with B as float32, plus the bias."""
    first, second = node.input(0), node.input(1)
    b = read_quantization(node, writer, writer.dtype(second), 2, 3, count=axis_size(writer, second, -1))
    quantized, scale, zero_point = (writer.new_name(first) for _ in range(3))
    outputs = {"Out": quantized, "Scale": scale, "ZeroPoint": zero_point}
    writer.emit("dynamic_quantize", {"X": first}, outputs)
    dynamic = Quantization(scale, zero_point, DType.UINT8)
    float_product(writer, (quantized, dynamic), (second, b), node.optional(4), node.output())
