"""Fuses factors and summands before a convolution into its weights."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ir.types import Array
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.channel_affine import channel_affine
from lite.passes.fuse.convolution.convolution import (
    CONVOLUTIONS,
    beside_inputs,
    bias_of,
    channel_axis,
    groups_of,
    has_fixed_weights,
    in_channels,
    is_unpadded,
    post_of,
    set_post,
    set_weights,
    sole_convolution,
    weight,
)
from lite.passes.fuse.elementwise.affine import fits
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
class ConvInputScaleFusePass(Pass):
    """Merges one factor and summand per channel, or for all, into the weights of the next convolution::

        %a = scale(X=%x) {scale = 2.0, bias = 1.0}
        Output=%y = conv2d(Input=%a, Filter=%w)    ->  Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias)

    The new filter is ``scale · filter``, the new bias ``bias + Σ shift · filter``.  A summand would also
    be added to the padding, which is 0: a padded or transposed convolution takes factors only.  PostScale and
    PostShift of the convolution before are merged in the same way, if possible; the value between has other
    numbers then, and another name.
    """

    name: ClassVar[str] = "conv_input_scale_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("conv2d", "conv2d_transpose", "quantized_conv2d")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "conv_scale_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Values with other readers, and filters of less than 32 bits, do not change."""
        changes = [_fuse(node) for node in graph if node.op in CONVOLUTIONS]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(conv: Node) -> bool:
    if not has_fixed_weights(conv) or weight(conv).dtype.itemsize < 4:
        return False
    factor, shift = np.ones(1), np.zeros(1)
    changed = False
    while True:
        step = _take_node(conv) or _take_post(conv)
        if step is None:
            break
        changed = True
        factor, shift = factor * step[0], shift + factor * step[1]
    if changed:
        _fold(conv, factor, shift)
    return changed


_Numbers = tuple[Array, Array]


def _take_node(conv: Node) -> _Numbers | None:
    """Erase an op before `conv`, if it can be folded completely."""
    image = conv.input("Input")
    node = image.producer
    if node is None or image.only_user is not conv:
        return None
    attrs = attributes(conv)
    found = channel_affine(node, in_channels(conv, groups_of(attrs)), channel_axis(attrs))
    if found is None or (found.shift.any() and not _takes_shift(conv)):
        return None
    conv.set_input("Input", [found.x])
    node.graph.erase(node)
    return found.factor, found.shift


def _take_post(conv: Node) -> _Numbers | None:
    """Merge PostScale and PostShift of the convolution before `conv`; at least the factor."""
    before = sole_convolution(conv.input("Input"))
    if before is None or channel_axis(attributes(before)) != channel_axis(attributes(conv)):
        return None
    factor, shift = post_of(before)
    if _takes_shift(conv):
        left = np.zeros(1)
    else:
        left, shift = shift / factor if factor.all() else shift, np.zeros(1)
    unchanged = (factor == 1).all() and not shift.any()
    if unchanged or not factor.all() or not fits(conv.input("Input"), *left):
        return None
    set_post(before, np.ones(1), left)
    image = conv.input("Input")
    image.graph.rename(image, f"{image.name}_partial")
    return factor, shift


def _takes_shift(conv: Node) -> bool:
    return conv.op == "conv2d" and is_unpadded(conv)


def _fold(conv: Node, factor: Array, shift: Array) -> None:
    groups = groups_of(attributes(conv))
    ones = np.ones(in_channels(conv, groups))
    kernel = weight(conv).astype(np.float64)
    bias = None
    if shift.any():
        added = kernel * beside_inputs(conv, shift * ones, groups)
        bias = bias_of(conv, groups) + added.sum(axis=(1, 2, 3))
    set_weights(conv, kernel * beside_inputs(conv, factor * ones, groups), bias)
