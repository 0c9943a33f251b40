"""Graphs to plan, an independent judge of plans, and exhaustive searches."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from lite.subgraph.op_graph import HOST, OpGraph, PlannedOp, PlannedRegion
from lite.tools.conformance.partition import NamedOp, number_ops, read_graph
from tests.support.data_folders import SHARED

SCENARIOS = SHARED / "partition" / "scenarios.json"

DevicePlan = list[tuple[int, tuple[int, ...]]]
"""Regions as the numbers of a device and its ops."""


def read_scenarios() -> list[dict[str, Any]]:
    """The scenarios beside the checkout; none where they are absent."""
    return list(json.loads(SCENARIOS.read_text(encoding="utf-8"))) if SCENARIOS.is_file() else []


def scenario_graph(scenario: dict[str, Any]) -> OpGraph:
    """The graph of a scenario, whose ops are listed in running order."""
    ops = [
        NamedOp(node["name"], tuple(node["inputs"]), tuple(node["supported_by"]))
        for node in scenario["nodes"]
    ]
    return number_ops(ops, scenario["targets_priority"])


def graph_of(text: str, *devices: str) -> OpGraph:
    """The graph of a line such as ``p[a](x); q(p)`` for these devices."""
    return number_ops(read_graph(text), devices)


def random_ops(rng: random.Random, size: int, devices: int, able: float = 0.6) -> list[PlannedOp]:
    """Ops that read up to two earlier ones; each device takes a share `able` of them."""
    return [
        PlannedOp(
            tuple(sorted({rng.randrange(n) for _ in range(rng.randint(0, 2)) if n})),
            tuple(device for device in range(devices) if rng.random() < able),
        )
        for n in range(size)
    ]


def renumbered(rng: random.Random, ops: Sequence[PlannedOp]) -> list[PlannedOp]:
    """The same ops in another running order."""
    order: list[int] = []
    left = set(range(len(ops)))
    while left:
        ready = [n for n in sorted(left) if left.isdisjoint(ops[n].sources)]
        order.append(rng.choice(ready))
        left.remove(order[-1])
    number = {n: position for position, n in enumerate(order)}
    return [
        PlannedOp(
            tuple(sorted(number[source] for source in ops[n].sources)),
            ops[n].devices,
            ops[n].seconds,
            ops[n].bytes,
        )
        for n in order
    ]


def as_pairs(plan: Sequence[PlannedRegion]) -> DevicePlan:
    """The regions of a plan as device and ops."""
    return [(region.device, region.ops) for region in plan]


def problem(graph: OpGraph, plan: Sequence[PlannedRegion]) -> str:
    """The first problem of a plan: coverage, devices, order within and between regions; "" if none."""
    placed = {n: number for number, region in enumerate(plan) for n in region.ops}
    if len(placed) != sum(len(region.ops) for region in plan):
        return "an op is in two regions"
    supported = {n for n, op in enumerate(graph.ops) if op.devices}
    if set(placed) != supported:
        return f"covers {sorted(placed)}, expected {sorted(supported)}"
    if any(plan[number].device not in graph.ops[n].devices for n, number in placed.items()):
        return "an op is on a device that does not support it"
    finished: set[int] = set()

    def run_ops_outside() -> None:
        grown = True
        while grown:
            ready = [
                n
                for n, op in enumerate(graph.ops)
                if n not in placed and n not in finished and finished.issuperset(op.sources)
            ]
            finished.update(ready)
            grown = bool(ready)

    run_ops_outside()
    for region in plan:
        for n in region.ops:
            if not finished.issuperset(graph.ops[n].sources):
                return f"{n} runs before its inputs"
            finished.add(n)
        run_ops_outside()
    return "" if len(finished) == len(graph) else "ops are left over"


def fewest(graph: OpGraph, free: bool) -> int:
    """The smallest number of regions, by trying every sequence of devices, shortest first.

    Each phase may also run only some of the ops that its device can run: every subset is tried.
    """

    def candidates(n: int) -> tuple[int, ...]:
        return graph.ops[n].devices if free else graph.ops[n].devices[:1]

    def ready(finished: frozenset[int]) -> list[int]:
        return [n for n, op in enumerate(graph.ops) if n not in finished and finished.issuperset(op.sources)]

    def with_host_ops(finished: frozenset[int]) -> frozenset[int]:
        while more := [n for n in ready(finished) if not candidates(n)]:
            finished |= frozenset(more)
        return finished

    def after_phase(finished: frozenset[int], device: int) -> set[frozenset[int]]:
        reached: set[frozenset[int]] = set()
        newest = {finished}
        while newest:
            newest = {s | {n} for s in newest for n in ready(s) if device in candidates(n)} - reached
            reached |= newest
        return {with_host_ops(state) for state in reached}

    states = {with_host_ops(frozenset())}
    for count in itertools.count():
        if any(len(state) == len(graph) for state in states):
            return count
        states = {
            after
            for state in states
            for device in range(graph.device_count)
            for after in after_phase(state, device)
        }
    raise AssertionError


def placements(graph: OpGraph) -> Iterator[list[int]]:
    """Every assignment of the ops to devices that can run them, or to the host if no device can."""
    return map(list, itertools.product(*(op.devices or (HOST,) for op in graph.ops)))
