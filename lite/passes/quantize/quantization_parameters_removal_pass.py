"""Makes values of chosen ops real numbers again: mixed precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class QuantizationParametersRemovalPass(Pass):
    """Removes the quantisation of what the ops of some types compute, or some values by name::

        %a = softmax(X=%x) : … quant(…)  ->  %a = softmax(X=%x)     {ops=[softmax]}

    These values are not rounded any more, which changes the results: devices compute them in float, if they
    can.  Constants stay quantised.  Without options, nothing changes.
    """

    ops: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    name: ClassVar[str] = "quantization_parameters_removal_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Between `absorb_quantization_pass` and `subgraph_pass`, where values are quantised."""
        chosen = [
            value
            for node in graph
            for value in node.all_outputs()
            if value.quant is not None and (node.op in self.ops or value.name in self.values)
        ]
        for value in chosen:
            value.quant = None
        return Outcome.of(bool(chosen))
