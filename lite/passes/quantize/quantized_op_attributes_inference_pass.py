"""Quantises what an op computes where its readers quantise it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Value
from lite.ir.program import VarKind
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import erase_unread
from lite.passes.quantize.parameters import can_round
from lite.passes.registry import register_pass


@register_pass
class QuantizedOpAttributesInferencePass(Pass):
    """Gives the result of an op of quantised values the quantisation by which readers round it::

        %y = conv2d(Input=%x, …)              (%x: … quant(…))      %y = conv2d(Input=%x, …) : … quant(…)
        %q = assign(X=%y) : … quant(…)                          ->  %z = relu(X=%y)
        %z = relu(X=%y)                                             %p = pool2d(X=%y)
        %p = pool2d(X=%q)

    A device that computes in integers then writes %y as integers.  Readers that saw the real number see the
    rounded one, which changes results; so the pass runs where a list names it.  All readers that round the
    value do it with the same parameters.
    """

    name: ClassVar[str] = "quantized_op_attributes_inference_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits what nodes compute, in running order."""
        values = [value for node in graph for value in node.all_outputs()]
        changes = [_infer(graph, value) for value in values if value.graph is graph]
        return Outcome.of(any(changes))


def _infer(graph: Graph, value: Value) -> bool:
    node = value.producer
    if node is None or node.blocks or value.quant is not None or value.is_result or value.lod_level:
        return False
    if value.kind is not VarKind.TENSOR or value.dtype is None:
        return False
    if not any(each.quant is not None for each in node.all_inputs() if not each.is_constant):
        return False
    rounded = [
        user.output() for user in value.users if user.op == "assign" and user.output().quant is not None
    ]
    quants = {each.quant for each in rounded}
    quant = quants.pop() if len(quants) == 1 else None
    if quant is None or not can_round(quant, value.dtype):
        return False
    value.quant = quant
    for each in rounded:
        if not each.is_result:
            graph.replace_uses(each, value)
            erase_unread([each])
    return True
