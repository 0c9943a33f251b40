"""Convolutions of quantised tensors."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import read_quantization
from lite.model_parser.onnx.translations import onnx_op
from lite.model_parser.onnx.windows import channels_first, channels_last

_QLINEAR_CONV = CustomOp(
    "qlinear_conv",
    "X XScale XZeroPoint Filter FilterScale FilterZeroPoint OutScale OutZeroPoint Bias",
)

register_custom_ops({"ConvInteger": CustomOp("conv_integer", "X Filter XZeroPoint FilterZeroPoint")})


@onnx_op("QLinearConv", "com.microsoft.QLinearConv")
def qlinear_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """`qlinear_conv`; the filter has one scale, or one per output channel.

    With ``channels_last`` of ONNX Runtime's op, between two `transpose2`; the filter is in ONNX's order.
    """
    filters = writer.shape(node.input(3))
    channels = filters[0] if filters else None
    read_quantization(node, writer, writer.dtype(node.input(0)), 1, 2)
    read_quantization(
        node,
        writer,
        writer.dtype(node.input(3)),
        4,
        5,
        count=channels if isinstance(channels, int) else None,
    )
    read_quantization(node, writer, writer.dtype(node.input(7)), 6, 7)
    if not node.integer("channels_last", 0):
        _QLINEAR_CONV.write(node, writer)
        return
    inputs = [channels_first(writer, node.input(0)), *node.inputs[1:]]
    result = writer.new_name(node.output())
    _QLINEAR_CONV.write(node.as_op("QLinearConv", inputs, [result]), writer)
    channels_last(writer, result, node.output())
