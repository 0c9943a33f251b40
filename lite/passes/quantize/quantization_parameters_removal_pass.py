"""Makes values of chosen ops real numbers again: mixed precision."""

from __future__ import annotations

from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass
from lite.subgraph.partition_rules import PartitionRules


@register_pass
@dataclass(frozen=True)
class QuantizationParametersRemovalPass(Pass):
    """Removes the quantisation of what the ops of some types compute, or some values by name::

        %a = softmax(X=%x) : … quant(…)  ->  %a = softmax(X=%x)     {ops=[softmax]}

    These values are not rounded any more, which changes the results: devices compute them in float, if they
    can.  Constants stay quantised.  `config` is a file or text in the form of partition rules, which is
    Paddle-Lite's ``mixed_precision_quantization_config``: an entry names an op type and, if it has any, the
    inputs and outputs of the op.  Without options, nothing changes.
    """

    ops: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    config: str = ""

    name: ClassVar[str] = "quantization_parameters_removal_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "absorb_quantization_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Between `absorb_quantization_pass` and `subgraph_pass`, where values are quantised.

        Raises `ConfigError` for a file that cannot be read, and for the first entry that has another form.
        """
        rules = PartitionRules.parse(self.config) if self.config else PartitionRules()
        chosen = [
            value
            for node in graph
            for value in node.all_outputs()
            if value.quant is not None
            and (node.op in self.ops or value.name in self.values or _is_named(node, rules))
        ]
        for value in chosen:
            value.quant = None
        return Outcome.of(bool(chosen))


def _is_named(node: Node, rules: PartitionRules) -> bool:
    names = ([value.name for value in values] for values in (node.all_inputs(), node.all_outputs()))
    return rules.decide(node.op, *names) is not None
