"""Nodes that multiply an image by one number per channel and add one, in all spellings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import Array
from lite.passes.fuse.elementwise.affine import affine, fits
from lite.passes.match import attributes, is_plain_float, per_channel


@dataclass(frozen=True)
class ChannelAffine:
    """``factor · x + shift``; both are float64 of shape ``[1]`` or ``[channels]``."""

    x: Value
    factor: Array
    shift: Array


def channel_affine(node: Node, channels: int, channel_axis: int) -> ChannelAffine | None:
    """The factor and shift of a node that computes ``factor · x + shift`` of one image; None for others.

    The image has four axes and `channels` channels on `channel_axis`.  `affine` describes the
    nodes with one number for all; constants of one number per channel are operands of elementwise ops.
    """
    found = affine(node)
    if found is not None:
        return ChannelAffine(found.x, np.array([found.factor]), np.array([found.shift]))
    rule = _RULES.get(node.op)
    if rule is None or not is_plain_float(node.input("X"), node.input("Y"), node.output("Out")):
        return None
    x, y = node.input("X"), node.input("Y")
    image, constant = (x, y) if y.is_constant else (y, x)
    numbers = _numbers(node, image, constant, channels, channel_axis)
    changed = None if numbers is None else rule(node, numbers, constant is y)
    if changed is None or not fits(image, *changed[0], *changed[1]):
        return None
    return ChannelAffine(image, *changed)


def _numbers(node: Node, image: Value, constant: Value, channels: int, channel_axis: int) -> Array | None:
    shape, axis = image.shape, attributes(node)["axis"]
    if constant.data is None or image.dtype != constant.dtype or not isinstance(axis, int):
        return None
    # A single channel would be repeated, and the result has the LoD of X.
    if shape is None or len(shape) != 4 or shape[channel_axis] != channels or image.lod_level:
        return None
    numbers = per_channel(constant.data, channels, 4, channel_axis, axis)
    return None if numbers is None else numbers.astype(np.float64)


_Changed = tuple[Array, Array]


def _add(_: Node, numbers: Array, __: bool) -> _Changed:
    return np.ones(1), numbers


def _subtract(_: Node, numbers: Array, is_second: bool) -> _Changed:
    return (np.ones(1), -numbers) if is_second else (-np.ones(1), numbers)


def _multiply(node: Node, numbers: Array, _: bool) -> _Changed:
    attrs = attributes(node)
    return numbers * attrs.real("scale"), np.array([attrs.real("bias")])


def _divide(_: Node, numbers: Array, is_second: bool) -> _Changed | None:
    return (1 / numbers, np.zeros(1)) if is_second and numbers.all() else None


_RULES: dict[str, Callable[[Node, Array, bool], _Changed | None]] = {
    "elementwise_add": _add,
    "elementwise_div": _divide,
    "elementwise_mul": _multiply,
    "elementwise_sub": _subtract,
}
