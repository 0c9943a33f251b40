"""ONNX Runtime's QLinear poolings: dequantise → pooling → quantise, in either layout."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import Quantization, dequantize, quantize, read_quantization
from lite.model_parser.onnx.sizes import axes_from
from lite.model_parser.onnx.translations import onnx_op, translate
from lite.model_parser.onnx.windows import channels_first, channels_last, read_windows


@onnx_op("com.microsoft.QLinearAveragePool")
def average_pool(node: OnnxNode, writer: BlockWriter) -> None:
    """AveragePool in float32; the zero point is added before rounding.

    A window that covers the whole input is a global pooling, which rounds before it adds the zero point.
    """
    source, target = _quantizations(node, writer)
    x, quantized = _channels_first(node, writer)
    if _covers_input(node, writer, x):
        _global_average(node, writer, x, quantized)
        return
    result = writer.new_name(node.output())
    translate(node.as_op("AveragePool", [dequantize(writer, x, source)], [result]), writer)
    quantize(writer, result, target, quantized, zero_point_first=True)
    _restore_layout(node, writer, quantized)


@onnx_op("com.microsoft.QLinearGlobalAveragePool")
def global_average_pool(node: OnnxNode, writer: BlockWriter) -> None:
    """`reduce_mean` over the spatial axes, in float64."""
    x, quantized = _channels_first(node, writer)
    _global_average(node, writer, x, quantized)


def _covers_input(node: OnnxNode, writer: BlockWriter, x: str) -> bool:
    kernel, shape = node.integers("kernel_shape"), writer.shape(x)
    if kernel is None or shape is None or tuple(kernel) != tuple(shape[2:]):
        return False
    return not any(read_windows(node, writer, x, kernel).paddings)


def _global_average(node: OnnxNode, writer: BlockWriter, x: str, quantized: str) -> None:
    source, target = _quantizations(node, writer)
    rank = writer.rank(x)
    real = dequantize(writer, x, source, DType.FLOAT64)
    inputs = {"X": real} if rank is not None else {"X": real, "AxisTensor": axes_from(writer, x, 2)}
    attrs: dict[str, AttrValue] = {"keep_dim": True, "dim": [*range(2, rank or 0)]}
    mean = writer.new_name(quantized)
    writer.emit("reduce_mean", inputs, {"Out": mean}, attrs)
    quantize(writer, mean, target, quantized)
    _restore_layout(node, writer, quantized)


@onnx_op("com.microsoft.NhwcMaxPool")
def nhwc_max_pool(node: OnnxNode, writer: BlockWriter) -> None:
    """MaxPool of a quantised tensor ``[N, …, C]``."""
    result = writer.new_name(node.output())
    translate(node.as_op("MaxPool", [channels_first(writer, node.input(0))], [result]), writer)
    channels_last(writer, result, node.output())


def _quantizations(node: OnnxNode, writer: BlockWriter) -> tuple[Quantization, Quantization]:
    """Those of the input and of the result."""
    dtype = writer.dtype(node.input(0))
    return read_quantization(node, writer, dtype, 1, 2), read_quantization(node, writer, dtype, 3, 4)


def _is_channels_last(node: OnnxNode) -> bool:
    return bool(node.integer("channels_last", 0))


def _channels_first(node: OnnxNode, writer: BlockWriter) -> tuple[str, str]:
    """The input with the channels on axis 1, and the name of the result in that layout."""
    x, out = node.input(0), node.output()
    if not _is_channels_last(node):
        return x, out
    return channels_first(writer, x), writer.new_name(out)


def _restore_layout(node: OnnxNode, writer: BlockWriter, quantized: str) -> None:
    if _is_channels_last(node):
        channels_last(writer, quantized, node.output())
