"""Fuses a constant that is added to a convolution's output."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import (
    channel_axis,
    data,
    groups_of,
    number_type,
    open_convolution,
    out_channels,
)
from lite.passes.match import attributes, is_plain_float, per_channel, take_output
from lite.passes.registry import register_pass


@register_pass
class ConvElementwiseFusePass(Pass):
    """Replaces the addition of one number per channel to a convolution by a bias::

        Output=%c = conv2d(Input=%x, Filter=%w)      ->  Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b_1)
        %y = elementwise_add(X=%c, Y=%b) {axis = 1}

    The constant may have any spelling: ``[C]`` with axis 1, ``[1,C,1,1]``, one number for all.
    """

    name: ClassVar[str] = "conv_elementwise_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Adds to an existing bias, in a new constant."""
        changes = [_fuse(graph, node) for node in graph if node.op == "elementwise_add"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(graph: Graph, add: Node) -> bool:
    x, y = add.input("X"), add.input("Y")
    conv, constant = (open_convolution(x), y) if y.is_constant else (open_convolution(y), x)
    if conv is None or not constant.is_constant or not is_plain_float(constant, add.output("Out")):
        return False
    vector = _bias(conv, add, constant)
    if vector is None:
        return False
    bias = conv.optional_input("Bias")
    if bias is not None:
        vector = data(bias).reshape(-1) + vector
    total = vector.astype(number_type(conv))
    conv.set_input("Bias", [graph.add_constant(constant.name, total)])
    take_output(conv, "Output", add, "Out")
    return True


def _bias(conv: Node, add: Node, constant: Value) -> Array | None:
    axis, attrs = attributes(add)["axis"], attributes(conv)
    if not isinstance(axis, int):
        return None
    channels = out_channels(conv, groups_of(attrs))
    return per_channel(data(constant), channels, 4, channel_axis(attrs), axis)
