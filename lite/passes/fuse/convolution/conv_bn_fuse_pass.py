"""Fuses a batch_norm into the convolution before it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import (
    bias_of,
    channel_axis,
    data,
    groups_of,
    open_convolution,
    out_channels,
    scale_outputs,
)
from lite.passes.match import attributes, is_plain_float, take_output
from lite.passes.registry import register_pass

_STATISTICS = ("Scale", "Bias", "Mean", "Variance")


@register_pass
class ConvBnFusePass(Pass):
    """Replaces a normalisation with fixed statistics by another filter and bias::

        Output=%c = conv2d(Input=%x, Filter=%w)
        Y=%y = batch_norm(X=%c, Scale=…, Bias=…, Mean=…, Variance=…)
                ->
        Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias)

    With ``α = scale / √(variance + ε)`` the new filter is ``α · filter``, channel by channel, and the
    new bias ``α · (bias − mean) + bn bias``.  The filter is copied: another convolution may share it.
    Transposed and depthwise convolutions are folded, too.
    """

    name: ClassVar[str] = "conv_bn_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("batch_norm",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A convolution with other readers or a residual does not change."""
        changes = [_fuse(node) for node in graph if node.op == "batch_norm"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(norm: Node) -> bool:
    conv = open_convolution(norm.input("X"))
    if conv is None or not _is_foldable(norm) or "ResidualData" in conv.inputs:
        return False
    attrs, norm_attrs = attributes(conv), attributes(norm)
    if (channel_axis(attrs) == 3) != (norm_attrs["data_layout"] == "NHWC"):
        return False
    groups = groups_of(attrs)
    scale, shift, mean, variance = (data(norm.input(s)).astype(np.float64) for s in _STATISTICS)
    if scale.shape != (out_channels(conv, groups),):
        return False
    alpha = scale / np.sqrt(variance + norm_attrs.real("epsilon"))
    bias = alpha * (bias_of(conv, groups) - mean) + shift
    scale_outputs(conv, alpha, bias, groups)
    take_output(conv, "Output", norm, "Y")
    return True


def _is_foldable(norm: Node) -> bool:
    """Whether statistics are constants, no node reads an output besides Y, and no op is merged into it."""
    inputs = [norm.input(slot) for slot in _STATISTICS]
    if not all(value.is_constant for value in inputs) or not is_plain_float(norm.output("Y"), *inputs):
        return False
    others = [value for slot, values in norm.outputs.items() if slot != "Y" for value in values]
    return not any(value.is_used for value in others) and not attributes(norm).get("fuse_with_relu")
