"""Convolutions and transposed convolutions."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op
from lite.model_parser.tflite.windows import dilations, same_paddings, strides, transposed_paddings


@tflite_op("CONV_2D")
def conv2d(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv2d`; filters [O, H, W, I] become [O, I, H, W]."""
    _, height, width, depth = _filter_sizes(node)
    channels = node.input(0).shape[-1]
    if not isinstance(channels, int) or not depth or channels % depth:
        raise ModelParseError(f"expected filters that divide {channels} channels, got {depth}")
    _convolution(node, writer, [0, 3, 1, 2], (height, width), channels // depth)


@tflite_op("DEPTHWISE_CONV_2D")
def depthwise_conv2d(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv2d` with a group per channel; filters [1, H, W, I · n] become [I · n, 1, H, W]."""
    first, height, width, depth = _filter_sizes(node)
    channels = node.input(0).shape[-1]
    if not isinstance(channels, int) or not channels or depth % channels or first != 1:
        raise ModelParseError(f"expected filters [1, H, W, n · {channels}], got {list(node.input(1).shape)}")
    _convolution(node, writer, [3, 0, 1, 2], (height, width), channels)


def _convolution(
    node: TfliteNode, writer: GraphWriter, order: list[int], kernel: tuple[int, int], groups: int
) -> None:
    steps, dilated = strides(node), dilations(node)
    attrs: dict[str, AttrValue] = {"strides": steps, "dilations": dilated, "groups": groups}
    attrs |= same_paddings(node, kernel, steps, dilated)
    inputs = {"Input": writer.image(node.input(0)), "Filter": writer.filters(node.input(1), order)}
    _write(node, writer, "conv2d", inputs, attrs, node.optional(2))


@tflite_op("TRANSPOSE_CONV")
def transpose_conv(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv2d_transpose`; filters [O, H, W, I] become [I, O, H, W]."""
    _, height, width, _ = _filter_sizes(node)
    size = node.integers(0)
    if len(size) != 4:
        raise ModelParseError(f"expected an output shape of 4 sizes, got {size}")
    steps = strides(node)
    attrs: dict[str, AttrValue] = {"strides": steps, "output_size": size[1:3]}
    attrs["paddings"] = transposed_paddings(node, node.input(2), size[1:3], (height, width), steps)
    inputs = {
        "Input": writer.image(node.input(2)),
        "Filter": writer.filters(node.input(1), [3, 0, 1, 2]),
    }
    _write(node, writer, "conv2d_transpose", inputs, attrs, node.optional(3))


def _write(
    node: TfliteNode,
    writer: GraphWriter,
    op: str,
    inputs: dict[str, str],
    attrs: dict[str, AttrValue],
    bias: Tensor | None,
) -> None:
    """Add the convolution and, with a bias, its sum."""
    if bias is None:
        writer.write(node, op, inputs, attrs, slot="Output", is_image=True)
        return
    product = writer.new_name(node.output().name)
    writer.emit(op, inputs, {"Output": product}, attrs)
    operands = {"X": product, "Y": writer.real(bias)}
    writer.write(node, "elementwise_add", operands, {"axis": 1}, is_image=True)


def _filter_sizes(node: TfliteNode) -> list[int]:
    sizes = [size for size in node.input(1).shape if isinstance(size, int)]
    if len(sizes) != 4 or node.input(1).rank != 4:
        raise ModelParseError(f"expected filters of 4 known sizes, got {list(node.input(1).shape)}")
    return sizes
