"""Gives values the quantisation of their neighbours where an op keeps the range of its input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from lite.dataclass import dataclass
from lite.errors import PassError
from lite.ir.graph import Graph, Node, Quant, Rounding, Value
from lite.ir.program import VarKind
from lite.ops.number_range import number_range
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.quantize.moves import moved_quant, moved_slot
from lite.passes.quantize.parameters import can_round
from lite.passes.registry import register_pass

_EXACT, _BACKWARD, _KEPT_RANGE, _KNOWN_RANGE = range(4)

_SAME_RANGE = ("bilinear_interp_v2", "leaky_relu", "pool2d", "relu")
"""Ops besides moves whose results are in the range of the input."""

_RANGES: Mapping[str, tuple[float, float]] = {
    "hard_sigmoid": (0.0, 1.0),
    "relu6": (0.0, 6.0),
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
}
"""The ranges of the results of ops, whatever their inputs."""


@register_pass
@dataclass(frozen=True)
class QuantizationParametersPropagationPass(Pass):
    """Quantises the results of views, transposes, slices, concat, maxima of windows, … of quantised values::

        %b = transpose2(X=%a)   (%a: … quant(…))  ->  %b = transpose2(X=%a) : … quant(…)

    The numbers stay the same: they already are those that the integers stand for.  All inputs must have the
    same scale, one for the whole tensor.

    Higher levels, as in Paddle-Lite's ``QUANT_AUTO_COMPLETE_SCALE_LEVEL``, round numbers that the model does
    not round, so that a device can compute more ops in integers:

    =====  ==================================================================================
    level  is quantised, too
    =====  ==================================================================================
    1      what such an op reads, where its result is quantised
    2      around relu, leaky_relu, pool2d and bilinear_interp_v2, in both directions
    3      what relu6, sigmoid, hard_sigmoid, softmax and tanh compute of quantised values, by its known range
    =====  ==================================================================================
    """

    level: int = _EXACT

    name: ClassVar[str] = "quantization_parameters_propagation_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """In running order, and backwards; values that are quantised stay as they are.

        Raises `PassError` for a level that is not from 0 to 3.
        """
        if not _EXACT <= self.level <= _KNOWN_RANGE:
            raise PassError(f"{self.name}: expected a level from 0 to 3, got {self.level}")
        forward: list[Callable[[Node], Quant | None]] = [moved_quant]
        forward += [_kept_quant] if self.level >= _KEPT_RANGE else []
        forward += [_known_quant] if self.level >= _KNOWN_RANGE else []
        changed = False
        for node in graph:
            quant = next((found for find in forward if (found := find(node)) is not None), None)
            for value in node.all_outputs() if quant is not None else ():
                if value.quant is None and not value.lod_level:
                    value.quant, changed = quant, True
        for node in reversed(list(graph)) if self.level >= _BACKWARD else ():
            changed |= _backward(node, others=self.level >= _KEPT_RANGE)
        return Outcome.of(changed)


def _kept_quant(node: Node) -> Quant | None:
    quant = node.input("X").quant if node.op in _SAME_RANGE and "X" in node.inputs else None
    return None if quant is None or quant.per_axis else quant


def _known_quant(node: Node) -> Quant | None:
    """The quantisation of a known range, with as many bits as the input's."""
    given = node.input("X").quant if node.op in _RANGES and "X" in node.inputs else None
    if given is None or given.per_axis:
        return None
    low, high = _RANGES[node.op]
    least, greatest = number_range(given.storage)
    if given.is_symmetric or given.rounding is not Rounding.AFFINE:
        return Quant((max(-low, high) / greatest,), (0,), -1, given.storage, given.rounding)
    scale = (high - low) / (greatest - least)
    return Quant((scale,), (round(least - low / scale),), -1, given.storage, given.rounding)


def _backward(node: Node, *, others: bool) -> bool:
    """Quantise what an op reads as its result is."""
    slot = moved_slot(node) or ("X" if others and node.op in _SAME_RANGE else None)
    outs = [value for value in node.all_outputs() if value.dtype is not None and value.dtype.is_float]
    quants = {value.quant for value in outs}
    quant = quants.pop() if len(quants) == 1 else None
    if slot is None or quant is None or quant.per_axis:
        return False
    changed = False
    for value in node.inputs.get(slot, ()):
        if _may_be_quantized(value, quant):
            value.quant, changed = quant, True
    return changed


def _may_be_quantized(value: Value, quant: Quant) -> bool:
    if value.quant is not None or value.producer is None or value.producer.blocks or value.lod_level:
        return False
    is_tensor = value.kind is VarKind.TENSOR and value.dtype is not None and not value.is_result
    return is_tensor and value.dtype is not None and can_round(quant, value.dtype)
