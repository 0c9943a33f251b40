"""Fuses factors and summands after a convolution into its weights."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.channel_affine import ChannelAffine, channel_affine
from lite.passes.fuse.convolution.convolution import (
    activation_of,
    bias_of,
    channel_axis,
    groups_of,
    out_channels,
    post_of,
    scale_outputs,
    set_post,
    sole_convolution,
)
from lite.passes.match import attributes, is_plain_float, take_output
from lite.passes.registry import register_pass


@register_pass
class ConvScaleFusePass(Pass):
    """Merges one factor and summand per channel, or for all, into the weights of the convolution before::

        Output=%c = conv2d(Input=%x, Filter=%w, Bias=%b)
        %y = scale(X=%c) {scale = 2.0, bias = 1.0}     ->  Output=%y = conv2d(…, Filter=%w_1, Bias=%w_bias)

        Output=%c = conv2d(…) {activation = "sigmoid"}
        %y = scale(X=%c) {scale = 2.0, bias = 1.0}     ->  Output=%y = conv2d(…, PostScale=%s, PostShift=%t)

    The new filter is ``scale · filter``, the new bias ``scale · bias + shift``; after an activation or a
    residual, they are PostScale and PostShift.  The op is a scale, or an elementwise op with a constant.
    """

    name: ClassVar[str] = "conv_scale_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks forwards, so that it merges a whole chain; weights with other readers are copied."""
        changes = [_fuse(node) for node in graph if node.op in _SPELLINGS]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


_SPELLINGS = frozenset({"scale", "elementwise_add", "elementwise_div", "elementwise_mul", "elementwise_sub"})


def _fuse(node: Node) -> bool:
    for value in node.all_inputs():
        conv = sole_convolution(value)
        if conv is None or not is_plain_float(node.output("Out")):
            continue
        attrs = attributes(conv)
        found = channel_affine(node, out_channels(conv, groups_of(attrs)), channel_axis(attrs))
        if found is None or found.x is not value:
            return False
        if activation_of(conv) or {"ResidualData", "PostScale", "PostShift"} & conv.inputs.keys():
            scale, shift = post_of(conv)
            set_post(conv, scale * found.factor, shift * found.factor + found.shift)
        else:
            _fold(conv, found)
        take_output(conv, "Output", node, "Out")
        return True
    return False


def _fold(conv: Node, found: ChannelAffine) -> None:
    groups = groups_of(attributes(conv))
    ones = np.ones(out_channels(conv, groups))
    factor, shift = found.factor * ones, found.shift * ones
    has_bias = "Bias" in conv.inputs or shift.any()
    bias = bias_of(conv, groups) * factor + shift if has_bias else None
    scale_outputs(conv, factor, bias, groups)
