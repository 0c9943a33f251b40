"""Gives inputs and outputs of ops that only move numbers one scale."""

from __future__ import annotations

from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Quant, Value
from lite.ops.number_range import number_range
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.quantize.moves import moved_slot
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class RestrictQuantizedOpWithSameInputOutputScalePass(Pass):
    """Makes the quantisations around an op equal, for devices whose op has one scale::

        %c = concat(X=[%a, %b])          %a: quant([0.5], …), %b: quant([0.25], …), %c: quant([0.25], …)
                                   ->    all of them quant([0.5], …)

    The widest of them is taken, so that no number is clipped; values that several such ops connect get one,
    too.  This changes results by up to half a step, so the pass runs where a list names it.  `ops` limits it
    to some types.  Arguments, and values with a scale for each channel or of another type or zero point,
    leave the ops that they belong to as they are.
    """

    ops: tuple[str, ...] = ()

    name: ClassVar[str] = "restrict_quantized_op_with_same_input_output_scale_pass"
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "absorb_quantization_pass",
        "quantization_parameters_propagation_pass",
        "quantized_op_attributes_inference_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Finds the values that ops connect, and then gives each group its widest quantisation."""
        groups: dict[Value, list[Value]] = {}
        for node in graph:
            if not self.ops or node.op in self.ops:
                _connect(node, groups)
        distinct = {id(group): group for group in groups.values()}
        changes = [_unify(group) for group in distinct.values()]
        return Outcome.of(any(changes))


def _connect(node: Node, groups: dict[Value, list[Value]]) -> None:
    slot = moved_slot(node)
    values = [] if slot is None else [*node.inputs.get(slot, ()), *node.all_outputs()]
    quantized = [value for value in values if value.dtype is not None and value.dtype.is_float]
    if not quantized or any(value.quant is None for value in quantized):
        return
    merged = list(dict.fromkeys(each for value in quantized for each in groups.get(value, [value])))
    groups.update(dict.fromkeys(merged, merged))


def _unify(values: list[Value]) -> bool:
    quants = {value.quant for value in values if value.quant is not None}
    kinds = {(quant.storage, quant.rounding, quant.axis) for quant in quants}
    if len(quants) < 2 or len(kinds) > 1 or any(value.producer is None for value in values):
        return False
    if any(quant.per_axis for quant in quants):
        return False
    if all(quant.is_symmetric for quant in quants):
        widest = max(quants, key=lambda quant: quant.scale)
    else:
        widest = max(quants, key=_covered)
        if any(_range(each)[0] < _range(widest)[0] or _range(each)[1] > _range(widest)[1] for each in quants):
            return False
    for value in values:
        value.quant = widest
    return True


def _covered(quant: Quant) -> float:
    low, high = _range(quant)
    return high - low


def _range(quant: Quant) -> tuple[float, float]:
    """The numbers for the least and the greatest integer."""
    low, high = number_range(quant.storage)
    [scale], [zero] = quant.scale, quant.zero_point
    return (low - zero) * scale, (high - zero) * scale
