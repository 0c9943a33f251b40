"""Affine quantisation, and convolutions and matrix products of quantised tensors."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

register_custom_ops(
    {
        "ConvInteger": CustomOp("conv_integer", "X Filter XZeroPoint FilterZeroPoint"),
        "QLinearConv": CustomOp(
            "qlinear_conv",
            "X XScale XZeroPoint Filter FilterScale FilterZeroPoint OutScale OutZeroPoint Bias",
        ),
    }
)


@onnx_op("QuantizeLinear")
def quantize(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_quantize` to the type of the zero point, else of ``output_dtype``, else to uint8."""
    zero_point = node.optional(2)
    dtype = DType.UINT8
    if zero_point is not None:
        dtype = writer.dtype(zero_point)
    elif node.integer("output_dtype", 0):
        dtype = node.dtype("output_dtype")
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": zero_point}
    writer.emit(
        "affine_quantize", inputs, {"Out": node.output()}, {**_granularity(node), "dtype": dtype.code}
    )


@onnx_op("DequantizeLinear")
def dequantize(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_dequantize` to the type of the scale, or to ``output_dtype``."""
    attrs = _granularity(node)
    if node.integer("output_dtype", 0):
        attrs["dtype"] = node.dtype("output_dtype").code
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": node.optional(2)}
    writer.emit("affine_dequantize", inputs, {"Out": node.output()}, attrs)


@onnx_op("DynamicQuantizeLinear")
def dynamic_quantize(node: OnnxNode, writer: BlockWriter) -> None:
    """`dynamic_quantize`."""
    source = node.input(0)
    outputs = {
        slot: node.optional_output(n) or writer.new_name(source)
        for n, slot in enumerate(("Out", "Scale", "ZeroPoint"))
    }
    writer.emit("dynamic_quantize", {"X": source}, outputs)


def _granularity(node: OnnxNode) -> dict[str, AttrValue]:
    return {"axis": node.integer("axis", 1), "block_size": node.integer("block_size", 0)}


@onnx_op("MatMulInteger")
def matmul_integer(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of the centred matrices, as int32."""
    first = _centred(writer, node.input(0), node.optional(2), rows=True)
    second = _centred(writer, node.input(1), node.optional(3), rows=False)
    product = writer.binary("matmul_v2", first, second)
    writer.cast(product, DType.INT32, node.output())


@onnx_op("QLinearMatMul")
def qlinear_matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of the centred matrices times the scales of A and B, quantised for the result."""
    first = _centred(writer, node.input(0), node.optional(2), rows=True)
    second = _centred(writer, node.input(3), node.optional(5), rows=False)
    product = writer.binary("matmul_v2", first, second)
    for name, rows in ((node.input(1), True), (node.input(4), False)):
        scale = _as_column(writer, name) if rows else name
        product = writer.binary("elementwise_mul", product, writer.cast(scale, DType.FLOAT64))
    writer.emit(
        "affine_quantize",
        {"X": product, "Scale": node.input(6), "ZeroPoint": node.input(7)},
        {"Out": node.output()},
        {"dtype": writer.dtype(node.input(7)).code},
    )


def _centred(writer: BlockWriter, name: str, zero_point: str | None, *, rows: bool) -> str:
    """A quantised matrix minus its zero point, as float64, in which products and sums are exact.

    A vector of zero points has one for each row (`rows`) or one for each column.
    """
    matrix = writer.cast(name, DType.FLOAT64)
    if zero_point is None:
        return matrix
    zero_point = _as_column(writer, zero_point) if rows else zero_point
    return writer.binary("elementwise_sub", matrix, writer.cast(zero_point, DType.FLOAT64))


def _as_column(writer: BlockWriter, name: str) -> str:
    return writer.unary("unsqueeze2", name, {"axes": [1]}) if writer.rank(name) == 1 else name
