"""Placement by cost finds the cheapest of all placements on small graphs, and a good one on large ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from lite.subgraph import cost_placement
from lite.subgraph.op_graph import (
    BANDWIDTH,
    HOST,
    OP_SECONDS,
    REGION_SECONDS,
    OpGraph,
    PlannedOp,
    PlannedRegion,
)
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.verify_plan import check_plan
from tests.lite.subgraph.plans import as_pairs, fewest, graph_of, placements, problem, random_ops


def seconds(graph: OpGraph, places: Sequence[int], bandwidth: float = BANDWIDTH) -> float:
    """The cost of ops in their places and of the bytes between places."""
    total = 0.0
    reading: list[set[int]] = [set() for _ in graph.ops]
    for n, op in enumerate(graph.ops):
        for source in op.sources:
            reading[source].add(places[n])
    for n, op in enumerate(graph.ops):
        total += 0.0 if places[n] == HOST else op.seconds.get(places[n], OP_SECONDS)
        total += op.bytes / bandwidth * len(reading[n] - {places[n]})
    return total


def places_of(graph: OpGraph, plan: Sequence[PlannedRegion]) -> list[int]:
    device = {n: region.device for region in plan for n in region.ops}
    return [device.get(n, HOST) for n in range(len(graph))]


def least(graph: OpGraph) -> float:
    """The cost of the cheapest placement, with the fewest regions that it needs."""
    best = float("inf")
    for places in placements(graph):
        cost = seconds(graph, places)
        if cost < best:
            fixed = [
                PlannedOp(op.sources, () if place == HOST else (place,))
                for op, place in zip(graph.ops, places, strict=True)
            ]
            best = min(best, cost + REGION_SECONDS * fewest(OpGraph(fixed), free=False))
    return best


def priced(rng: random.Random, ops: Sequence[PlannedOp], devices: int) -> OpGraph:
    return OpGraph(
        [
            replace(
                op,
                seconds={d: rng.choice([1e-5, 1e-4, 4e-4]) for d in range(devices) if rng.random() < 0.9},
                bytes=rng.choice([0, 100_000, 3_000_000]),
            )
            for op in ops
        ]
    )


@pytest.mark.parametrize("devices", [1, 2, 3])
@pytest.mark.parametrize("exact", [True, False])
def test_no_placement_is_cheaper(devices: int, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exact:
        monkeypatch.setattr(cost_placement, "EXACT_WORK", 0)
    rng = random.Random(devices)
    ratios = []
    for _ in range(40):
        graph = priced(rng, random_ops(rng, 6, devices), devices)
        plan = plan_regions(graph, "cost")
        assert problem(graph, plan) == ""
        cost = seconds(graph, places_of(graph, plan)) + REGION_SECONDS * len(plan)
        ratios.append(cost / max(least(graph), 1e-12) if cost else 1.0)
    assert min(ratios) > 1 - 1e-9
    assert max(ratios) < (1 + 1e-9 if exact else 1.35)
    assert sum(ratios) / len(ratios) < (1 + 1e-9 if exact else 1.02)


def chain(size: int = 0) -> OpGraph:
    """Three ops in a row, of which the second is fast on device 1 only, the others on device 0 only."""
    return OpGraph(
        [
            replace(op, seconds={0: 1e-2 if slow == 0 else 1e-3, 1: 1e-2 if slow == 1 else 1e-3}, bytes=size)
            for op, slow in zip(
                graph_of("p[a/b](x); q[a/b](p); r[a/b](q)", "a", "b").ops, (1, 0, 1), strict=True
            )
        ]
    )


def test_large_differences_of_cost_are_worth_extra_regions() -> None:
    assert as_pairs(plan_regions(chain(), "cost")) == [(0, (0,)), (1, (1,)), (0, (2,))]


def test_large_values_keep_ops_together() -> None:
    graph = chain(10**9)
    assert as_pairs(plan_regions(graph, "cost")) == [(0, (0, 1, 2))]
    assert len(plan_regions(graph, "cost", bandwidth=1e14)) == 3


def test_without_costs_the_first_device_takes_all_supported_ops() -> None:
    graph = graph_of("p[a/b](x); q[a/b](p)", "b", "a")
    assert as_pairs(plan_regions(graph, "cost")) == [(0, (0, 1))]
    assert plan_regions(OpGraph([]), "cost") == []
    assert plan_regions(graph_of("p(x)", "a"), "cost") == []


@pytest.mark.parametrize("size", [80, 4000])
def test_a_large_graph_costs_no_more_than_by_priority_or_fewest_regions(size: int) -> None:
    rng = random.Random(size)
    ops = [
        PlannedOp(
            (rng.randrange(max(0, n - 5), n),) if n else (),
            tuple(device for device in range(3) if rng.random() < 0.9),
        )
        for n in range(size)
    ]
    graph = priced(rng, ops, 3)
    costs = {}
    for placement in ("priority", "fewest_regions", "cost"):
        plan = plan_regions(graph, placement)
        assert check_plan(graph, plan) == []
        costs[placement] = seconds(graph, places_of(graph, plan)) + REGION_SECONDS * len(plan)
    assert costs["cost"] < 0.9 * min(costs["priority"], costs["fewest_regions"])
