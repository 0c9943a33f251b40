"""The steps of a model, in an order and in stripes that need little memory."""

from __future__ import annotations

from collections.abc import Sequence

from lite.codegen.emit import emit
from lite.codegen.limits import NO_LIMIT, Limit, argument_bytes
from lite.codegen.lower import lower
from lite.codegen.memory import plan_memory
from lite.codegen.order import ordered
from lite.codegen.steps import MemoryPlan, Steps
from lite.codegen.stripes import best_stripes, multiplications, write_stripes
from lite.codegen.targets import Target
from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node

MOST_REGIONS = 4
"""The most regions that run in stripes."""

EXTRA = 0.1
"""The most multiplications that stripes repeat where no limit asks for more, as a part of all."""


@dataclass(frozen=True)
class Schedule:
    """A graph with its steps in running order and their memory; `stripes` has a sentence for each region."""

    graph: Graph
    steps: Steps
    plan: MemoryPlan
    stripes: Sequence[str] = ()


def schedule(config: Config, language: str, target: Target, limit: Limit, outputs: Sequence[str]) -> Schedule:
    """The steps of a Config's model, or of the part that computes `outputs`.

    Steps that cannot be written are in the refusals, and then there is no plan of memory.  Where the target
    has little memory, layers run in stripes: without a limit of RAM where that costs little, with one only
    where the model exceeds it.  Raises what `lower` raises.
    """
    best = _striped(config, language, target, limit, outputs, 0)
    if not target.stripes or best.steps.refusals:
        return best
    for count in range(1, MOST_REGIONS + 1):
        more = _striped(config, language, target, limit, outputs, count)
        if len(more.stripes) < count or more.plan.arena >= best.plan.arena:
            break
        best = more
    return best


def _striped(
    config: Config, language: str, target: Target, limit: Limit, outputs: Sequence[str], count: int
) -> Schedule:
    """The schedule with stripes in `count` regions, or in as many as there are."""
    graph = lower(config, language, outputs)
    fast = not target.stripes and limit == NO_LIMIT and config.precision != "strict"
    made: set[Node] = set()
    stripes: list[str] = []
    best = _planned(graph, emit(graph, language, target.vector, fast=fast))
    total = multiplications(graph)
    for _ in range(count):
        enough = (limit.ram or 0) - argument_bytes(graph)
        if best.steps.refusals or (limit.ram is not None and best.plan.arena <= enough):
            break
        most = int(total * EXTRA) if limit.ram is None else max(total, 1) * 8
        region = best_stripes(graph, best.steps, best.plan, most, enough)
        if region is None:
            break
        first, last = region.ops[0].node, region.ops[-1].node
        stripes.append(f"{first.op} {first.label} to {last.op} {last.label}: {region.count} stripes")
        made |= write_stripes(graph, region)
        best = _planned(graph, emit(graph, language, target.vector, made, fast=fast))
    return Schedule(graph, best.steps, best.plan, stripes)


def _planned(graph: Graph, steps: Steps) -> Schedule:
    """The better of the graph's order and of the order with the lowest peak."""
    if steps.refusals:
        return Schedule(graph, steps, MemoryPlan())
    plan = plan_memory(graph, steps)
    other = ordered(steps)
    moved = plan_memory(graph, other)
    return Schedule(graph, other, moved) if moved.arena < plan.arena else Schedule(graph, steps, plan)
