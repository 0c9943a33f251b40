"""Convolutions and products of quantised values that the target cpu computes in integers."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node
from lite.ir.types import Array
from lite.passes.base import PassContext
from lite.passes.fuse.quantize.quantized import (
    DEQUANTIZE,
    Activation,
    Weights,
    activation_of,
    weights_of,
)
from lite.passes.match import attributes, producer

_TARGET = "cpu"
_FUSED = {"ResidualData", "PostScale", "PostShift"}


@dataclass(frozen=True, eq=False)
class IntegerProduct:
    """A node of floats whose operands are quantised: the op that takes their integers, and its operands.

    `weight` has the layout of the op, and `scale` one number for each of its outputs, float32.
    """

    op: str
    activation: Activation
    weight: Array
    scale: Array


def integer_product(node: Node, ctx: PassContext) -> IntegerProduct | None:
    """The integer form of a node; None where it stays in floats: with `strict`, every rounding is kept."""
    if not is_on_cpu(ctx):
        return None
    if node.op == "conv2d":
        return _convolution(node)
    return _matrix_product(node) if node.op in ("matmul_v2", "mul", "fc") else None


def is_on_cpu(ctx: PassContext) -> bool:
    """Whether the target cpu may compute in integers, which rounds fewer times."""
    return not ctx.strict and any(place.target == _TARGET for place in ctx.valid_places)


def is_weight_of_integers(node: Node, ctx: PassContext) -> bool:
    """Whether a node dequantises weights that a node with an integer form reads.

    With devices in the Config there is none, because they get weights as constants.
    """
    if node.op not in DEQUANTIZE or not node.input("X").is_constant or ctx.devices:
        return False
    return any(integer_product(user, ctx) is not None for out in node.all_outputs() for user in out.users)


def _convolution(node: Node) -> IntegerProduct | None:
    attrs = attributes(node)
    is_plain = not attrs.text("activation") and _FUSED.isdisjoint(node.inputs)
    if not is_plain or attrs.text("data_format") == "NHWC" or not _has_fixed_bias(node):
        return None
    weights, activation = weights_of(node.input("Filter")), activation_of(node.input("Input"))
    if weights is None or activation is None or weights.codes.ndim != 4:
        return None
    outputs, per_group, *_ = weights.codes.shape
    groups = attrs.integer("groups")
    is_depthwise = per_group == 1 and groups == outputs
    if (weights.scale.size > 1 and weights.axis != 0) or not (groups == 1 or is_depthwise):
        return None
    return IntegerProduct("quantized_conv2d", activation, weights.codes, _scale(activation, weights, outputs))


def _matrix_product(node: Node) -> IntegerProduct | None:
    first, second = ("Input", "W") if node.op == "fc" else ("X", "Y")
    weights, activation = weights_of(node.input(second)), activation_of(node.input(first))
    if weights is None or activation is None or weights.codes.ndim != 2 or rows_of(node) is None:
        return None
    codes, axis = weights.codes, weights.axis
    if node.op == "matmul_v2" and attributes(node).flag("trans_y"):
        codes, axis = np.ascontiguousarray(codes.T), 1 - axis
    if weights.scale.size > 1 and axis != 1:
        return None
    return IntegerProduct("quantized_fc", activation, codes, _scale(activation, weights, codes.shape[1]))


def rows_of(node: Node) -> int | None:
    """The number of leading axes that are rows of a product; None where it has another form than fc."""
    attrs = attributes(node)
    if node.op == "fc":
        plain = not (attrs.text("activation") or attrs.flag("padding_weights") or "Alpha" in node.inputs)
        return attrs.integer("in_num_col_dims") if plain and _has_fixed_bias(node) else None
    if node.op == "mul":
        return attrs.integer("x_num_col_dims") if attrs.integer("y_num_col_dims") == 1 else None
    shape = node.input("X").shape
    return None if attrs.flag("trans_x") or shape is None or len(shape) < 2 else len(shape) - 1


def _has_fixed_bias(node: Node) -> bool:
    """Whether a bias is a constant, or a dequantised one that is not folded yet."""
    bias = node.optional_input("Bias")
    if bias is None or bias.is_constant:
        return True
    dequantize = producer(bias, DEQUANTIZE)
    return dequantize is not None and all(value.is_constant for value in dequantize.all_inputs())


def _scale(activation: Activation, weights: Weights, outputs: int) -> Array:
    product = np.float64(activation.scale) * weights.scale.astype(np.float64)
    return np.ascontiguousarray(np.broadcast_to(product.astype(np.float32), outputs))
