"""What nobody reads, through all levels of control flow."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.build import CONDITIONAL, WHILE
from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.control_flow import drop_unread_arguments, drop_unread_results
from lite.passes.registry import register_pass


@register_pass
class DeadCodeEliminationPass(Pass):
    """Nodes without effect whose outputs nobody reads go, and constants nobody reads::

        graph(%x):                graph(%x):
          %a = relu(X=%x)           %b = tanh(X=%x)
          %b = tanh(X=%x)    ->     return %b
          return %b

    Loops and conditions lose the inputs their blocks do not read and the outputs nobody reads, with
    everything that only served those.  Arguments of the main graph stay, read or not.
    """

    name: ClassVar[str] = "dead_code_elimination_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks backwards once; nested blocks are cleaned after what reads their results is known."""
        return Outcome.of(_clean(graph))


def _clean(graph: Graph) -> bool:
    changed = False
    for node in reversed(graph):
        if not node.effect and not any(value.is_used for value in node.all_outputs()):
            graph.erase(node)
            changed = True
        elif node.op == WHILE or node.op in CONDITIONAL:
            # The block first loses what only made dropped results, then what only that had read.
            changed |= drop_unread_results(node)
            changed |= _clean(node.blocks[0])
            changed |= drop_unread_arguments(node)
    return graph.drop_unused_constants() or changed
