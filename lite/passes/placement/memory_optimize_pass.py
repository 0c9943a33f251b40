"""Chooses how buffers share memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lite.errors import PassError, suggest
from lite.ir.graph import Graph
from lite.memory import STRATEGIES
from lite.passes.base import Outcome, Pass, PassContext
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class MemoryOptimizePass(Pass):
    """Chooses how values that are not live at the same time share one arena; the graph does not change.

    Before: every value has a buffer of its own.  After: offsets by `strategy` (by default the
    Config's), computed for the shapes of each input signature.
    """

    name: ClassVar[str] = "memory_optimize_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass",)
    whole_program: ClassVar[bool] = True

    strategy: str = ""

    def run(self, graph: Graph, ctx: PassContext) -> Outcome:
        """Sets the strategy; raises `PassError` for an unknown one."""
        strategy = self.strategy or ctx.memory
        if strategy not in STRATEGIES:
            raise PassError(f"no memory strategy is called {strategy!r}{suggest(strategy, STRATEGIES)}")
        ctx.results.memory = strategy
        return Outcome.UNCHANGED
