"""Chooses how buffers share memory."""

from __future__ import annotations

from typing import ClassVar, Literal

from lite.dataclass import dataclass
from lite.errors import PassError, suggest
from lite.ir.graph import SUBGRAPH, Graph
from lite.memory import STRATEGIES, Strategy
from lite.passes.base import Outcome, Pass, PassContext
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class MemoryOptimizePass(Pass):
    """Chooses how values that are not live at the same time share one arena.

    Before: every value has a buffer of its own.  After: offsets by `strategy` (by default the
    Config's), computed for the shapes of each input signature.  With the `order` "least", the nodes are
    brought into an order that needs less memory, where one is found, sizes are known, and the model has no
    control flow.
    """

    name: ClassVar[str] = "memory_optimize_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass",)
    whole_program: ClassVar[bool] = True

    strategy: str = ""
    order: Literal["model", "least"] = "model"

    def run(self, graph: Graph, ctx: PassContext) -> Outcome:
        """Sets the strategy and the order; raises `PassError` for an unknown one."""
        strategy = self.strategy or ctx.memory
        if strategy not in STRATEGIES:
            raise PassError(f"no memory strategy is called {strategy!r}{suggest(strategy, STRATEGIES)}")
        ctx.results.memory = strategy
        return Outcome.of(self.order == "least" and _reorder(graph, STRATEGIES[strategy]))


def _reorder(graph: Graph, strategy: Strategy) -> bool:
    from lite.passes.placement.memory_order import memory_order  # plans in the model's order load sooner

    if any(node.blocks and node.op != SUBGRAPH for node in graph):
        # A run has several arenas then, and decides only then which ops they belong to.
        return False
    order = memory_order(graph, strategy)
    if order is None:
        return False
    graph.reorder(order)
    return True
