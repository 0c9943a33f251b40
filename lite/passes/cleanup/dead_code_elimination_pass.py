"""Removes nodes and constants that no node reads, through all levels of control flow."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.build import CONDITIONAL, WHILE
from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.control_flow import (
    bypass_unchanged_values,
    drop_unread_arguments,
    drop_unread_results,
)
from lite.passes.registry import register_pass


@register_pass
class DeadCodeEliminationPass(Pass):
    """Removes nodes without effect whose outputs are not read, and constants that are not read::

        graph(%x):                graph(%x):
          %a = relu(X=%x)           %b = tanh(X=%x)
          %b = tanh(X=%x)    ->     return %b
          return %b

    It also removes the inputs of loops and conditions that their blocks do not read, and their outputs that
    no node reads, with all nodes that serve only these.  Values that a block carries unchanged are read from
    outside::

        %a#1, %w#1 = while(..., X=[%a, %w])         %a#1 = while(..., X=[%a, %w])
          graph block(%a, %w):                        graph block(%a, %w):
            %a#1 = mul(X=%a, Y=%w)             ->       %a#1 = mul(X=%a, Y=%w)
            return a=%a#1, w=%w                         return a=%a#1

    Arguments of the main graph stay.
    """

    name: ClassVar[str] = "dead_code_elimination_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks backwards once, so that all readers of a block's results are known when it is cleaned."""
        return Outcome.of(_clean(graph))


def _clean(graph: Graph) -> bool:
    changed = False
    for node in reversed(graph):
        if not node.effect and not any(value.is_used for value in node.all_outputs()):
            graph.erase(node)
            changed = True
        elif node.op == WHILE or node.op in CONDITIONAL:
            changed |= bypass_unchanged_values(node)
            # First the nodes that served only dropped results, then the arguments that only these nodes read.
            changed |= drop_unread_results(node)
            changed |= _clean(node.blocks[0])
            changed |= drop_unread_arguments(node)
    return graph.drop_unused_constants() or changed
