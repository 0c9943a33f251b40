"""Gives quantised weights a scale for each output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_WEIGHTS: Mapping[str, tuple[str, int]] = {
    "conv2d": ("Filter", 0),
    "fc": ("W", 1),
    "matmul_v2": ("Y", 1),
    "mul": ("Y", 1),
}
"""The slot of the weights of an op, and the axis of its outputs."""


@register_pass
class WeightQuantizationPreprocessPass(Pass):
    """Repeats the one scale of weights for each output, for devices that expect as many::

        %w: int8[2,3,1,1] quant([0.5], [0], -1, int8)
        ->  quant([0.5, 0.5], [0, 0], 0, int8)              where conv2d reads %w alone

    The numbers stay the same.  Weights that ops with other axes read stay as they are.
    """

    name: ClassVar[str] = "weight_quantization_preprocess_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Constants are quantised between `absorb_quantization_pass` and `restore_quantization_pass`."""
        changes = [_expand(value) for value in graph.constants.values()]
        return Outcome.of(any(changes))


def _expand(weights: Value) -> bool:
    quant, shape = weights.quant, None if weights.data is None else weights.data.shape
    axes = {_axis(node, weights) for node in weights.users}
    axis = axes.pop() if len(axes) == 1 else None
    if quant is None or quant.per_axis or shape is None or axis is None or shape[axis] < 2:
        return False
    count = shape[axis]
    weights.quant = replace(quant, scale=quant.scale * count, zero_point=quant.zero_point * count, axis=axis)
    return True


def _axis(node: Node, weights: Value) -> int | None:
    """The axis of the outputs of a node in its weights; None where it reads them in another way."""
    slot, axis = _WEIGHTS.get(node.op, ("", 0))
    if node.inputs.get(slot) != [weights] or weights.users[node] != 1 or weights.data is None:
        return None
    if node.op != "conv2d" and weights.data.ndim != 2:
        return None
    return 0 if node.op == "matmul_v2" and attributes(node).flag("trans_y") else axis
