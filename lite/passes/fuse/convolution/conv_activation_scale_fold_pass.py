"""Moves factors after a convolution's activation into its filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ir.types import Array
from lite.ops import get_schema
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import (
    CONVOLUTIONS,
    bias_of,
    groups_of,
    has_fixed_weights,
    number_type,
    out_channels,
    post_of,
    scale_outputs,
)
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
class ConvActivationScaleFoldPass(Pass):
    """Multiplies the filter by a positive factor that follows a homogeneous activation::

        conv2d(Filter=%w, PostScale=%s) {activation = "relu"}  ->  conv2d(Filter=%w_1) {activation = "relu"}

    ``relu(s · x)`` equals ``s · relu(x)``.  The same holds for leaky_relu, and for relu6 if its threshold is
    multiplied, too.  hard_swish, ``x · clip(x + offset, 0, threshold) / scale``, is quadratic in its parts:
    filter, bias, offset and threshold are multiplied by the root of ``s / scale``, and `scale` becomes 1.
    """

    name: ClassVar[str] = "conv_activation_scale_fold_pass"
    needs: ClassVar[tuple[str, ...]] = ("conv2d", "conv2d_transpose", "quantized_conv2d")
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_activation_fuse_pass",
        "conv_scale_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A convolution with a residual, or with a filter of less than 32 bits, does not change."""
        changes = [_fold(node) for node in graph if node.op in CONVOLUTIONS]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fold(conv: Node) -> bool:
    attrs = attributes(conv)
    name = attrs.text("activation")
    if name not in _NUMBERS or "ResidualData" in conv.inputs or not has_fixed_weights(conv):
        return False
    schema = get_schema(name)
    params = schema.numbers(schema.from_numbers(attrs.reals("activation_params")))
    scale, _ = post_of(conv)
    if number_type(conv).itemsize < 4 or not (scale > 0).all():
        return False
    folded = _NUMBERS[name](scale, params)
    if folded is None or (np.array([folded[0], scale]) == 1).all():
        return False
    groups = groups_of(attrs)
    factor = folded[0] * np.ones(out_channels(conv, groups))
    bias = bias_of(conv, groups) * factor if "Bias" in conv.inputs else None
    scale_outputs(conv, factor, bias, groups)
    conv.attrs["activation_params"] = list(folded[1])
    conv.set_input("PostScale", ())
    return True


_Folded = tuple[Array, Sequence[float]]


def _linear(scale: Array, params: Sequence[float]) -> _Folded:
    return scale, params


def _relu6(scale: Array, params: Sequence[float]) -> _Folded | None:
    return (scale, [params[0] * float(scale[0])]) if scale.size == 1 else None


def _hard_swish(scale: Array, params: Sequence[float]) -> _Folded | None:
    threshold, divisor, offset = params
    if scale.size != 1 or divisor <= 0:
        return None
    root = np.sqrt(scale / divisor)
    return root, [threshold * float(root[0]), 1.0, offset * float(root[0])]


_NUMBERS = {"hard_swish": _hard_swish, "leaky_relu": _linear, "relu": _linear, "relu6": _relu6}
"""The factors of the accumulator, and the new parameters, by activation."""
