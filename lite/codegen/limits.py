"""Limits of a machine: how many bytes of RAM and flash a model may take, and what takes them."""

from __future__ import annotations

from collections.abc import Sequence

from lite.codegen.emit import Steps
from lite.codegen.memory import MemoryPlan
from lite.codegen.weights import Weights
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.emitter import EmitValue

_SHOWN = 5


@dataclass(frozen=True)
class Limit:
    """The most bytes of RAM (arena, inputs and outputs) and flash (weights); None for no limit."""

    ram: int | None = None
    flash: int | None = None


NO_LIMIT = Limit()


def argument_bytes(graph: Graph) -> int:
    """The bytes of inputs and outputs."""
    return sum(EmitValue(value).bytes for value in (*graph.args, *graph.results))


def check_limits(limit: Limit, graph: Graph, steps: Steps, plan: MemoryPlan, weights: Weights) -> None:
    """Raise `CompileError` with a breakdown where a limit is exceeded."""
    arguments = argument_bytes(graph)
    problems = []
    if limit.ram is not None and plan.arena + arguments > limit.ram:
        problems.append(
            f"RAM: {plan.arena + arguments} bytes (arena {plan.arena}, inputs and outputs {arguments}), "
            f"but the limit is {limit.ram}; the most is live in these steps:\n"
            + _peaks(steps, plan)
            + "\nSmaller inputs, int8 values (litebridge quantize) or fewer channels there would help."
        )
    if limit.flash is not None and weights.size > limit.flash:
        parts = sorted(weights.parts, key=lambda part: -part.nbytes)[:_SHOWN]
        lines = "\n".join(f"  {part.nbytes:>10}  {part.dtype}[{part.size}]" for part in parts)
        problems.append(
            f"flash: the weights have {weights.size} bytes, but the limit is {limit.flash}, without code; "
            f"the largest are:\n{lines}\nint8 weights (litebridge quantize) take a quarter."
        )
    if problems:
        raise CompileError("the model does not fit:\n" + "\n".join(problems))


def _peaks(steps: Steps, plan: MemoryPlan) -> str:
    order: Sequence[int] = sorted(range(len(plan.peaks)), key=lambda n: -plan.peaks[n])[:_SHOWN]
    return "\n".join(f"  {plan.peaks[n]:>10}  {steps.steps[n].node!r}" for n in order)
