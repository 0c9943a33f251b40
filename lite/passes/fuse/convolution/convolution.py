"""Queries and changes of convolutions, for the fusions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.passes.match import attributes, is_plain_float, sole_producer

QUANTIZED = "quantized_conv2d"
CONVOLUTIONS = ("conv2d", "conv2d_transpose", QUANTIZED)
VECTORS = ("Bias", "PostScale", "PostShift")


def sole_convolution(value: Value) -> Node | None:
    """The convolution that computes `value`, if `value` has one reader and all weights are constants.

    Weights are filter, bias, PostScale and PostShift.  The output is float, and image and filter are floats,
    too, or integers of a quantized_conv2d.
    """
    node = sole_producer(value, CONVOLUTIONS)
    return node if node is not None and has_fixed_weights(node) else None


def has_fixed_weights(node: Node) -> bool:
    """Whether the weights of a convolution are constants, and its numbers are plain floats."""
    kernel = node.input("Filter")
    vectors = [value for slot in VECTORS for value in node.inputs.get(slot, ())]
    if not all(value.is_constant for value in (kernel, *vectors)):
        return False
    if node.op == QUANTIZED:
        return is_plain_float(node.output("Output"), *vectors)
    return is_plain_float(node.input("Input"), node.output("Output"), kernel, *vectors)


def open_convolution(value: Value) -> Node | None:
    """The convolution that computes `value`, if an op may be merged into its end.

    The value has one reader, the weights are constant floats, and the convolution has no activation,
    PostScale or PostShift.
    """
    node = sole_convolution(value)
    if node is None or "PostScale" in node.inputs or "PostShift" in node.inputs:
        return None
    return None if activation_of(node) else node


def activation_of(node: Node) -> str:
    """The activation that is fused into a convolution, or an empty text."""
    return attributes(node).text("activation")


def is_unpadded(node: Node) -> bool:
    """Whether every window of a convolution lies inside its image."""
    attrs = attributes(node)
    algorithm, paddings = attrs["padding_algorithm"], attrs["paddings"]
    if algorithm == "SAME":
        return is_pointwise(node)
    return algorithm == "VALID" or (isinstance(paddings, list) and not any(paddings))


def is_pointwise(node: Node) -> bool:
    """Whether the windows of a convolution are single pixels."""
    return tuple(weight(node).shape[2:]) == (1, 1)


def channel_axis(attrs: Mapping[str, AttrValue]) -> int:
    """The axis of the output's channels."""
    return 3 if attrs["data_format"] == "NHWC" else 1


def groups_of(attrs: Mapping[str, AttrValue]) -> int:
    """The number of independent convolutions into which the channels are split."""
    groups = attrs["groups"]
    return groups if isinstance(groups, int) else 1


def out_channels(node: Node, groups: int) -> int:
    """The number of channels of the output."""
    shape = weight(node).shape
    return int(shape[1] * groups if node.op == "conv2d_transpose" else shape[0])


def in_channels(node: Node, groups: int) -> int:
    """The number of channels of the image."""
    shape = weight(node).shape
    return int(shape[0] if node.op == "conv2d_transpose" else shape[1] * groups)


def beside_outputs(node: Node, factor: Array, groups: int) -> Array:
    """One number per output channel, in a shape that multiplies that channel's part of the filter."""
    if node.op != "conv2d_transpose":
        return factor.reshape(-1, 1, 1, 1)
    # A transposed filter has its input channels, group by group, on axis 0.
    per_group = factor.reshape(groups, 1, -1)
    rows = weight(node).shape[0] // groups
    return np.broadcast_to(per_group, (groups, rows, per_group.shape[2])).reshape(groups * rows, -1, 1, 1)


def beside_inputs(node: Node, factor: Array, groups: int) -> Array:
    """One number per input channel, in a shape that multiplies the filter's part for that channel."""
    if node.op == "conv2d_transpose":
        return factor.reshape(-1, 1, 1, 1)
    outputs, rows = weight(node).shape[0] // groups, weight(node).shape[1]
    per_group = np.broadcast_to(factor.reshape(groups, 1, rows), (groups, outputs, rows))
    return per_group.reshape(groups * outputs, rows, 1, 1)


def bias_of(node: Node, groups: int) -> Array:
    """The bias in float64; zeros without a bias."""
    bias = node.optional_input("Bias")
    if bias is None:
        return np.zeros(out_channels(node, groups))
    return data(bias).reshape(-1).astype(np.float64)


def set_weights(node: Node, folded: Array, bias: Array | None) -> None:
    """Give a convolution another filter and bias (None: the one it has), as new constants of its type."""
    kernel, graph = node.input("Filter"), node.graph
    node.set_input("Filter", [graph.add_constant(kernel.name, folded.astype(number_type(node), copy=False))])
    _set_bias(node, bias, kernel.name)


def scale_outputs(node: Node, factor: Array, bias: Array | None, groups: int) -> None:
    """Multiply the sums of a convolution, output by output, and give it another bias (None: the one it has).

    The factor is part of the filter, or of the scales of quantised weights.
    """
    if node.op != QUANTIZED:
        set_weights(node, weight(node) * beside_outputs(node, factor, groups), bias)
        return
    scale = node.input("Scale")
    product = (data(scale).astype(np.float64) * factor).astype(number_type(node))
    node.set_input("Scale", [node.graph.add_constant(scale.name, product)])
    _set_bias(node, bias, node.input("Filter").name)


def _set_bias(node: Node, bias: Array | None, kernel: str) -> None:
    if bias is not None:
        constant = node.graph.add_constant(f"{kernel}_bias", bias.astype(number_type(node), copy=False))
        node.set_input("Bias", [constant])


def number_type(node: Node) -> np.dtype[Any]:
    """The floating point type in which a convolution adds its bias."""
    return np.dtype(np.float32) if node.op == QUANTIZED else weight(node).dtype


def set_post(node: Node, scale: Array, shift: Array) -> None:
    """Set PostScale and PostShift, as new constants; 1 and 0 are left out."""
    for slot, numbers, neutral in (("PostScale", scale, 1), ("PostShift", shift, 0)):
        if (numbers == neutral).all():
            node.set_input(slot, ())
            continue
        short = numbers[:1] if (numbers == numbers[0]).all() else numbers
        name = f"{node.output('Output').name}_{'scale' if slot == 'PostScale' else 'shift'}"
        constant = node.graph.add_constant(name, short.astype(number_type(node)))
        node.set_input(slot, [constant])


def post_of(node: Node) -> tuple[Array, Array]:
    """PostScale and PostShift of a convolution: float64, ``[1]`` or ``[channels]``."""
    scale, shift = node.optional_input("PostScale"), node.optional_input("PostShift")
    return (
        np.ones(1) if scale is None else data(scale).reshape(-1).astype(np.float64),
        np.zeros(1) if shift is None else data(shift).reshape(-1).astype(np.float64),
    )


def weight(node: Node) -> Array:
    """The elements of the filter, which is constant."""
    return data(node.input("Filter"))


def data(value: Value) -> Array:
    """The elements of a constant; raises `TypeError` for another value."""
    if value.data is None:
        raise TypeError(f"{value!r} is not a constant")
    return value.data
