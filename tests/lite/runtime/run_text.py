"""Makes runtimes from the text of a graph, with no passes but the mandatory ones."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.ir.types import HOST, Place
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.runtime import PlanState, Runtime

LAST_PASSES = ("static_kernel_pick_pass", "memory_optimize_pass", "generate_program_pass")
PLACING_PASSES = (
    "static_kernel_pick_pass",
    "variable_place_inference_pass",
    "type_target_cast_pass",
    "memory_optimize_pass",
    "generate_program_pass",
)


def runtime_of(text: str, memory: str = "compact", target: str = HOST) -> Runtime:
    """A runtime of the graph's plan, with kernels of `target` for ops that have one."""
    ctx = PassContext((Place(target), Place()))
    PassManager(LAST_PASSES if target == HOST else PLACING_PASSES, debug=True).run(parse_graph(text), ctx)
    assert ctx.results.plan is not None
    return Runtime(PlanState(ctx.results.plan), memory)
