"""Builds the plan."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext
from lite.passes.registry import register_pass
from lite.plan import build_plan


@register_pass
class GenerateProgramPass(Pass):
    """Builds the plan that the runtime runs: order, kernels, lifetimes, views.

    Before: ``%y = relu(X=%x) @host``.  After: instruction 0, relu on host, reads value 0, writes value
    1, which may take over the buffer of value 0.
    """

    name: ClassVar[str] = "generate_program_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "memory_optimize_pass")
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Outcome:
        """Stores the plan in the results of the context; the graph does not change."""
        ctx.results.plan = build_plan(graph, ctx.devices)
        return Outcome.UNCHANGED
