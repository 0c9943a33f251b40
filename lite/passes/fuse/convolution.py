"""What the fusions of convolutions ask of one."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.passes.match import attributes, is_plain_float, sole_producer

FORWARD = ("conv2d", "depthwise_conv2d")
TRANSPOSED = ("conv2d_transpose", "depthwise_conv2d_transpose")


def open_convolution(value: Value) -> Node | None:
    """The convolution that made `value`, if something may be merged into its end.

    Nothing else reads the value, the filter and the bias are constant floats, and no activation is
    merged yet.
    """
    node = sole_producer(value, FORWARD + TRANSPOSED)
    if node is None:
        return None
    weights = [node.input("Filter"), *node.inputs.get("Bias", ())]
    if not all(weight.is_constant for weight in weights):
        return None
    if not is_plain_float(node.input("Input"), node.output("Output"), *weights):
        return None
    attrs = attributes(node)
    return None if attrs["activation"] or attrs["fuse_relu"] else node


def channel_axis(attrs: Mapping[str, AttrValue]) -> int:
    """Where the channels of the output are."""
    return 3 if attrs["data_format"] == "NHWC" else 1


def groups_of(attrs: Mapping[str, AttrValue]) -> int:
    """Into how many independent convolutions the channels are split."""
    groups = attrs["groups"]
    return groups if isinstance(groups, int) else 1


def out_channels(node: Node, groups: int) -> int:
    """How many channels the output has."""
    shape = weight(node).shape
    return int(shape[1] * groups if node.op in TRANSPOSED else shape[0])


def weight(node: Node) -> Array:
    """The elements of the filter, which is constant."""
    return data(node.input("Filter"))


def data(value: Value) -> Array:
    """The elements of a constant; raises `TypeError` for another value."""
    if value.data is None:
        raise TypeError(f"{value!r} is not a constant")
    return value.data
