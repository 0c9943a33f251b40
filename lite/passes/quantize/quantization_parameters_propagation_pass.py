"""Gives the results of ops that move numbers the quantisation of their inputs."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.quantize.moves import moved_quant
from lite.passes.registry import register_pass


@register_pass
class QuantizationParametersPropagationPass(Pass):
    """Quantises the results of views, transposes, slices, concat, maxima of windows, … of quantised values::

        %b = transpose2(X=%a)   (%a: … quant(…))  ->  %b = transpose2(X=%a) : … quant(…)

    The numbers stay the same: they already are those that the integers stand for.  All inputs must have the
    same scale, one for the whole tensor.
    """

    name: ClassVar[str] = "quantization_parameters_propagation_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """In running order, through any number of such ops; values that are quantised stay as they are."""
        changed = False
        for node in graph:
            quant = moved_quant(node)
            for value in node.all_outputs() if quant is not None else ():
                if value.quant is None and not value.lod_level:
                    value.quant, changed = quant, True
        return Outcome.of(changed)
