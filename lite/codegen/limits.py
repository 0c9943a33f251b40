"""Limits of a machine: how many bytes of RAM and flash a model may take, and what takes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lite.codegen.steps import MemoryPlan, Steps
from lite.codegen.weights import Weights
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import DType
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
    """Raise `CompileError` where a limit is exceeded: what takes the most, and what would help."""
    arguments = argument_bytes(graph)
    problems = []
    if limit.ram is not None and plan.arena + arguments > limit.ram:
        problems.append(
            f"RAM: {plan.arena + arguments} bytes (arena {plan.arena}, inputs and outputs {arguments}), "
            f"but the limit is {limit.ram}; the largest inputs and outputs are:\n{_arguments(graph)}\n"
            f"and the most of the arena is live in these steps:\n{_peaks(steps, plan)}\n"
            + _for_ram(steps, plan, arguments > limit.ram)
        )
    if limit.flash is not None and weights.size > limit.flash:
        problems.append(
            f"flash: the weights have {weights.size} bytes, but the limit is {limit.flash}, without code; "
            f"these steps have the largest:\n{_weights(steps)}\n{_for_flash(weights)}"
        )
    if problems:
        raise CompileError("the model does not fit:\n" + "\n".join(problems))


def _largest(sizes: Iterable[tuple[int, str]]) -> str:
    """A line for each of the largest sizes."""
    shown = sorted(sizes, key=lambda pair: -pair[0])[:_SHOWN]
    return "\n".join(f"  {size:>10}  {text}" for size, text in shown)


def _arguments(graph: Graph) -> str:
    values = [EmitValue(value) for value in (*graph.args, *graph.results)]
    names = [*(arg.name for arg in graph.args), *graph.result_names]
    return _largest((value.bytes, f"{name} {value}") for name, value in zip(names, values, strict=True))


def _peaks(steps: Steps, plan: MemoryPlan) -> str:
    return _largest((peak, repr(step.node)) for peak, step in zip(plan.peaks, steps.steps, strict=True))


def _weights(steps: Steps) -> str:
    arrays = [(step.node, list(step.weights())) for step in steps.steps]
    return _largest(
        (sum(each.nbytes for each in own), f"{node!r} ({', '.join(sorted({str(a.dtype) for a in own}))})")
        for node, own in arrays
        if own
    )


def _for_ram(steps: Steps, plan: MemoryPlan, by_arguments: bool) -> str:
    if by_arguments:
        return (
            "Inputs and outputs alone exceed it: smaller or fewer ones would help, "
            "or a part of the model (--output)."
        )
    most = max(zip(plan.peaks, range(len(plan.peaks)), strict=True), default=(0, 0))[1]
    outputs = steps.steps[most].node.all_outputs() if steps.steps else ()
    has_floats = any(value.dtype is DType.FLOAT32 for value in outputs)
    quantised = "int8 values (litebridge quantize), " if has_floats else ""
    return f"Smaller inputs, {quantised}or fewer channels there would help."


def _for_flash(weights: Weights) -> str:
    floats = sum(part.nbytes for part in weights.parts if part.dtype == np.float32)
    if 2 * floats > weights.size:
        return "int8 weights (litebridge quantize) take a quarter."
    return "Fewer channels would help, or a part of the model (--output)."
