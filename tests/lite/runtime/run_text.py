"""Runs a graph given as text, with nothing but kernel picking between text and runtime."""

from __future__ import annotations

from lite.ir.program import Program
from lite.ir.text import parse_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.runtime import Runtime, Shared

LAST_PASSES = ("static_kernel_pick_pass", "memory_optimize_pass", "generate_program_pass")


def runtime_of(text: str, memory: str = "compact") -> Runtime:
    """A runtime of the graph's plan."""
    ctx = PassContext(Program())
    PassManager(LAST_PASSES, debug=True).run(parse_graph(text), ctx)
    assert ctx.plan is not None
    return Runtime(Shared(ctx.plan), memory)
