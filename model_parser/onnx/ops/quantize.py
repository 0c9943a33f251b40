"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import check_scale, read_quantization
from lite.model_parser.onnx.translations import onnx_op


@onnx_op("QuantizeLinear", "com.microsoft.QuantizeLinear")
def quantize(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_quantize` to the type of the zero point, else of ``output_dtype``, else to uint8."""
    zero_point = node.optional(2)
    check_scale(node, writer, 1, None)
    dtype = DType.UINT8
    if zero_point is not None:
        dtype = writer.dtype(zero_point)
    elif node.integer("output_dtype", 0):
        dtype = node.dtype("output_dtype")
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": zero_point}
    writer.emit(
        "affine_quantize", inputs, {"Out": node.output()}, {**_granularity(node), "dtype": dtype.code}
    )


@onnx_op("DequantizeLinear", "com.microsoft.DequantizeLinear")
def dequantize(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_dequantize` to the type of the scale, or to ``output_dtype``.

    Symmetric quantisation of weights may make scales that are not positive.  They have plain arithmetic, but
    for those of blocks: passes take the order of integers for that of the numbers that they stand for.
    """
    attrs = _granularity(node)
    read_quantization(node, writer, writer.dtype(node.input(0)), 1, 2, count=None, is_positive=False)
    scale = writer.constant(node.input(1))
    if scale is not None and not attrs["block_size"] and scale.min(initial=1) <= 0:
        _by_arithmetic(node, writer, scale)
        return
    if node.integer("output_dtype", 0):
        attrs["dtype"] = node.dtype("output_dtype").code
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": node.optional(2)}
    writer.emit("affine_dequantize", inputs, {"Out": node.output()}, attrs)


def _by_arithmetic(node: OnnxNode, writer: BlockWriter, scale: Array) -> None:
    """``(X - ZeroPoint) · Scale`` in float32, or in float64 for such a scale."""
    name, zero = node.input(0), node.optional(2)
    compute = DType.FLOAT64 if scale.dtype == np.float64 else DType.FLOAT32
    zeros = np.zeros(1) if zero is None else writer.constant(zero)
    if zeros is None:
        check_scale(node, writer, 1, None)
        return
    sizes = [1]
    if scale.size > 1:
        sizes = [1] * writer.known_rank(name)
        sizes[node.integer("axis", 1)] = -1
    numbers = writer.cast(name, compute)
    if zeros.any():
        shift = writer.weight(zeros.astype(compute.numpy).reshape(sizes), name)
        numbers = writer.binary("elementwise_sub", numbers, shift)
    factor = writer.weight(scale.astype(compute.numpy).reshape(sizes), name)
    product = writer.binary("elementwise_mul", numbers, factor)
    dtype = node.dtype("output_dtype") if node.integer("output_dtype", 0) else DType.from_numpy(scale.dtype)
    writer.cast(product, dtype, node.output())


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
