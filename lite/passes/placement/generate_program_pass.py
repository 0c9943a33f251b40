"""Builds the plan."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from lite.ir.graph import SUBGRAPH, Graph
from lite.passes.base import Outcome, Pass, PassContext
from lite.passes.registry import register_pass
from lite.plan import build_plan


@register_pass
class GenerateProgramPass(Pass):
    """Builds the plan that the runtime runs: order, kernels, lifetimes, views.

    Regions on devices with a processor of their own start as early as possible.

    Before: ``%y = relu(X=%x) @host``.  After: instruction 0, relu on host, reads value 0, writes value
    1, which may take over the buffer of value 0.
    """

    name: ClassVar[str] = "generate_program_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass", "memory_optimize_pass")
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Outcome:
        """Stores the plan in the results of the context; the graph does not change."""
        own_processors = {device.name for device in ctx.devices if not device.on_host_processor}
        if own_processors:
            _start_regions_early(graph, own_processors)
        ctx.results.plan = build_plan(graph, ctx.devices)
        return Outcome.UNCHANGED


def _start_regions_early(graph: Graph, devices: Collection[str]) -> None:
    from lite.plan.early_regions import early_regions  # models for the host alone load sooner

    graph.reorder(early_regions(graph, lambda name: name in devices))
    for node in graph:
        if node.op != SUBGRAPH:
            for block in node.blocks:
                _start_regions_early(block, devices)
