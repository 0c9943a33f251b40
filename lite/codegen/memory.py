"""Where each value of a graph is at run time: in the arena, among the weights, or in the caller's memory."""

from __future__ import annotations

from lite.codegen.steps import Location, MemoryPlan, Step, Steps
from lite.ir.graph import Graph, Value
from lite.memory import ALIGNMENT, Request, compact
from lite.plugin.emitter import EmitValue, Parameter


def plan_memory(graph: Graph, steps: Steps) -> MemoryPlan:
    """Place all values of the steps; results are written where the caller wants them."""
    plan = MemoryPlan()
    for number, arg in enumerate(graph.args):
        plan.values[arg] = Location("inputs", number)
    _place_results(graph, steps, plan)
    last = _last_reads(graph, steps)
    requests: list[Request] = []
    number_of: dict[Value, int] = {}
    scratch: list[tuple[int, str, int]] = []
    for n, step in enumerate(steps.steps):
        for parameter in step.emission.parameters:
            if parameter.source.scratch:
                scratch.append((n, parameter.name, len(requests)))
                requests.append(Request(parameter.source.scratch, n, n))
            if parameter.source.value is None or not parameter.written:
                continue
            value = steps.root(parameter.source.value)
            if value in plan.values or value in number_of:
                continue
            over = _overwritten(parameter, step, steps, last, number_of, n)
            if over is not None:
                number = number_of[over]
                old = requests[number]
                requests[number] = Request(old.size, old.first, max(last.get(value, n), n))
            else:
                number = len(requests)
                requests.append(Request(EmitValue(value).bytes, n, max(last.get(value, n), n)))
            number_of[value] = number
    offsets, used = compact(requests)
    plan.arena = max(used, ALIGNMENT)
    for value, number in number_of.items():
        plan.values[value] = Location("arena", offsets[number])
    for n, name, number in scratch:
        plan.scratch[n, name] = Location("arena", offsets[number])
    plan.peaks = [
        sum(request.size for request in requests if request.first <= n <= request.last)
        for n in range(len(steps.steps))
    ]
    return plan


def _place_results(graph: Graph, steps: Steps, plan: MemoryPlan) -> None:
    written = {
        steps.root(p.source.value)
        for step in steps.steps
        for p in step.emission.parameters
        if p.written and p.source.value is not None
    }
    for number, result in enumerate(graph.results):
        root, _ = steps.place(result)
        whole = EmitValue(root).bytes == EmitValue(result).bytes
        if root in written and root not in plan.values and whole:
            plan.values[root] = Location("outputs", number)
        else:
            plan.copies.append((number, result))


def _last_reads(graph: Graph, steps: Steps) -> dict[Value, int]:
    last: dict[Value, int] = {}
    for n, step in enumerate(steps.steps):
        for parameter in step.emission.parameters:
            value = parameter.source.value
            if value is not None and not parameter.written:
                last[steps.root(value)] = n
    for result in graph.results:
        last[steps.root(result)] = len(steps.steps)
    return last


def _overwritten(
    parameter: Parameter,
    step: Step,
    steps: Steps,
    last: dict[Value, int],
    number_of: dict[Value, int],
    n: int,
) -> Value | None:
    """The value whose memory this output takes: one that the step alone still reads, and only once."""
    if not parameter.over or parameter.source.value is None or parameter.source.value in steps.views:
        return None
    read = {
        p.name: p.source.value
        for p in step.emission.parameters
        if p.source.value is not None and not p.written
    }
    value = read[parameter.over]
    root = steps.root(value)
    once = [steps.root(each) for each in read.values()].count(root) == 1
    whole = EmitValue(root).bytes == EmitValue(value).bytes
    return root if once and whole and root in number_of and last.get(root) == n else None
