"""Merges two convolutions in sequence."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import (
    bias_of,
    has_fixed_weights,
    is_pointwise,
    is_unpadded,
    open_convolution,
    set_weights,
    weight,
)
from lite.passes.match import attributes, erase_unread
from lite.passes.registry import register_pass


@register_pass
class ConvConvFusePass(Pass):
    """Merges a convolution and a 1×1 convolution after it into one, if that is less work::

        Output=%c = conv2d(Input=%x, Filter=%w)
        Output=%y = conv2d(Input=%c, Filter=%v)  ->  Output=%y = conv2d(Input=%x, Filter=%v_1)

    The new filter is the product of both.  It has fewer elements than they have together, unless there
    are few channels in between, as in a low-rank factorisation.
    """

    name: ClassVar[str] = "conv_conv_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("conv2d",)
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_elementwise_fuse_pass",
        "conv_bn_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Convolutions with groups, and a second one with strides or padding, do not change."""
        changes = [_fuse(node) for node in graph if node.op == "conv2d"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(last: Node) -> bool:
    first = open_convolution(last.input("Input"))
    if first is None or first.op != "conv2d" or "ResidualData" in first.inputs:
        return False
    if not has_fixed_weights(last) or not is_pointwise(last) or not is_unpadded(last):
        return False
    attrs, last_attrs = attributes(first), attributes(last)
    same_format = attrs["data_format"] == last_attrs["data_format"]
    if (
        not same_format
        or attrs["groups"] != 1
        or last_attrs["groups"] != 1
        or last_attrs["strides"] != [1, 1]
    ):
        return False
    outer, inner = weight(last)[:, :, 0, 0], weight(first)
    if outer.dtype != inner.dtype or len(outer) * inner[0].size >= outer.size + inner.size:
        return False
    outer = outer.astype(np.float64)
    has_bias = "Bias" in first.inputs or "Bias" in last.inputs
    bias = outer @ bias_of(first, 1) + bias_of(last, 1) if has_bias else None
    set_weights(last, np.tensordot(outer, inner.astype(np.float64), 1), bias)
    between = last.input("Input")
    last.set_input("Input", [first.input("Input")])
    last.attrs.update({key: attrs[key] for key in ("strides", "paddings", "padding_algorithm", "dilations")})
    erase_unread([between])
    return True
