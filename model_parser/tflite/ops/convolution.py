"""Convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter, Step
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.size_formulas import size_formula
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op
from lite.model_parser.tflite.windows import (
    dilations,
    is_valid,
    same_paddings,
    strides,
    transposed_paddings,
    transposed_sizes,
)


@tflite_op("CONV_2D", "DEPTHWISE_CONV_2D")
def conv2d(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv2d`, for DEPTHWISE_CONV_2D with a group per channel."""
    _, height, width, _ = _filter_sizes(node)
    steps, dilated = strides(node), dilations(node)
    attrs: dict[str, AttrValue] = {"strides": steps, "dilations": dilated}
    convolution(node, writer, {**attrs, **same_paddings(node, (height, width), steps, dilated)})


def convolution(node: TfliteNode, writer: GraphWriter, attrs: Mapping[str, AttrValue]) -> None:
    """`conv2d` with the filters and the bias of a node; `attrs` place the windows."""
    order, groups = _filter_order(node)
    inputs = {"Input": writer.image(node.input(0)), "Filter": writer.filters(node.input(1), order)}
    _write(node, writer, "conv2d", inputs, {**attrs, "groups": groups}, node.optional(2))


def _filter_order(node: TfliteNode) -> tuple[list[int], int]:
    """The order of the axes that makes filters those of `conv2d`, and the groups.

    Filters [O, H, W, I] become [O, I, H, W]; those of DEPTHWISE_CONV_2D, [1, H, W, I · n], [I · n, 1, H, W].
    """
    first, _, _, depth = _filter_sizes(node)
    channels = node.input(0).shape[-1]
    if node.op == "CONV_2D":
        if not isinstance(channels, int) or not depth or channels % depth:
            raise ModelParseError(f"expected filters that divide {channels} channels, got {depth}")
        return [0, 3, 1, 2], channels // depth
    if not isinstance(channels, int) or not channels or depth % channels or first != 1:
        raise ModelParseError(f"expected filters [1, H, W, n · {channels}], got {list(node.input(1).shape)}")
    return [3, 0, 1, 2], channels


@tflite_op("TRANSPOSE_CONV")
def transpose_conv(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv2d_transpose`; filters [O, H, W, I] become [I, O, H, W].

    Sizes that are unknown before the run follow from those of the image: Keras computes stride · size, and
    for VALID (size - 1) · stride + filter.  Else a `slice` cuts the largest result to the sizes in input 0.
    """
    _, height, width, _ = _filter_sizes(node)
    kernel, size, steps = [height, width], transposed_sizes(node), strides(node)
    is_known = all(isinstance(length, int) for length in node.input(2).shape[1:3])
    inputs = {
        "Input": writer.image(node.input(2)),
        "Filter": writer.filters(node.input(1), [3, 0, 1, 2]),
    }
    attrs: dict[str, AttrValue] = {"strides": steps}
    if size is not None and is_known:
        attrs["output_size"] = size
        attrs["paddings"] = transposed_paddings(node, node.input(2), size, kernel, steps)
        _write(node, writer, "conv2d_transpose", inputs, attrs, node.optional(3))
        return
    if (stated := _stated_paddings(node, writer, kernel, steps)) is not None:
        _write(node, writer, "conv2d_transpose", inputs, {**attrs, **stated}, node.optional(3))
        return
    # All sizes that the stride allows: up to `stride - 1` more than the filters cover.
    attrs["output_padding"] = [step - 1 for step in steps]
    whole = writer.new_name(node.output().name)
    writer.emit("conv2d_transpose", inputs, {"Output": whole}, attrs)
    if (bias := node.optional(3)) is not None:
        whole = writer.step(whole, Step("elementwise_add", {"axis": 1}, {"Y": writer.real(bias)}))
    ranges = _computed_ranges(node, writer, kernel, steps)
    writer.write(node, "slice", {"Input": whole, **ranges}, {"axes": [2, 3]}, is_image=True)


def _stated_paddings(
    node: TfliteNode, writer: GraphWriter, kernel: Sequence[int], steps: Sequence[int]
) -> dict[str, AttrValue] | None:
    """The paddings for sizes of the result that follow from those of the image; None for other sizes."""
    paddings: list[int] = []
    extra: list[int] = []
    for axis, (width, step) in enumerate(zip(kernel, steps, strict=True), 1):
        formula = size_formula(node.input(0), axis, node.input(2), writer)
        if formula is None or formula.factor != step or formula.offset - (width - step) >= step:
            return None
        total = max(width - step - formula.offset, 0)
        first = 0 if is_valid(node) else total // 2
        paddings += [first, total - first]
        extra.append(max(formula.offset - (width - step), 0))
    return {"paddings": paddings, "output_padding": extra}


def _computed_ranges(
    node: TfliteNode, writer: GraphWriter, kernel: Sequence[int], steps: Sequence[int]
) -> dict[str, str]:
    """The first height and width of the result among those that the filters cover, and the ends.

    SAME cuts what is covered beyond the result's size on both sides, VALID at the end.
    """
    attrs: dict[str, AttrValue] = {"out_dtype": DType.INT64.code}
    target = writer.unary("cast", _middle(writer, writer.name(node.input(0))), attrs)
    if is_valid(node):
        return {"StartsTensor": writer.weight("start", np.zeros(2, np.int64)), "EndsTensor": target}
    shape = writer.new_name(f"{node.input(2).name}.sizes")
    writer.emit("shape", {"Input": writer.name(node.input(2))}, {"Out": shape})
    image = writer.unary("cast", _middle(writer, shape), attrs)
    factor, more, zero, two = (
        writer.weight("number", np.array(numbers, np.int64))
        for numbers in (steps, np.subtract(kernel, steps), [0], [2])
    )
    covered = writer.binary("elementwise_add", writer.binary("elementwise_mul", image, factor), more)
    total = writer.binary("elementwise_max", writer.binary("elementwise_sub", covered, target), zero)
    start = writer.binary("elementwise_floordiv", total, two)
    return {"StartsTensor": start, "EndsTensor": writer.binary("elementwise_add", start, target)}


def _middle(writer: GraphWriter, shape: str) -> str:
    """The height and width in a shape [N, H, W, C]."""
    out = writer.new_name(shape)
    writer.emit("slice", {"Input": shape}, {"Out": out}, {"axes": [0], "starts": [1], "ends": [3]})
    return out


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
