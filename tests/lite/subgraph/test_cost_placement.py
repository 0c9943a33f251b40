"""Placement by cost finds the cheapest of all placements on small graphs, and no bad one on large ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from lite.subgraph import cost_placement
from lite.subgraph.numbered_ops import Region, RegionNode
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.transfer_cost import BANDWIDTH, OP_SECONDS, REGION_SECONDS
from lite.subgraph.verify_plan import check_plan
from lite.tools.conformance.partition import read_graph
from tests.lite.subgraph.plans import fewest, placements, problem, random_graph

DEVICES = ["a", "b", "c"]


def seconds(nodes: Sequence[RegionNode], place: Mapping[str, str], bandwidth: float = BANDWIDTH) -> float:
    """What ops in their places and the bytes between places cost."""
    total = 0.0
    readers: dict[str, set[str]] = {node["name"]: set() for node in nodes}
    for node in nodes:
        for source in readers.keys() & set(node["inputs"]):
            readers[source].add(place[node["name"]])
    for node in nodes:
        here = place[node["name"]]
        total += 0.0 if here == "host" else node.get("cost", {}).get(here, OP_SECONDS)
        total += node.get("bytes", 0) / bandwidth * len(readers[node["name"]] - {here})
    return total


def places_of(nodes: Sequence[RegionNode], plan: Sequence[Region]) -> dict[str, str]:
    return {node["name"]: "host" for node in nodes} | {n: device for device, names in plan for n in names}


def least(nodes: Sequence[RegionNode], devices: Sequence[str]) -> float:
    """The cheapest placement, with the fewest regions that it needs."""
    best = float("inf")
    for place in placements(nodes, devices):
        cost = seconds(nodes, place)
        if cost < best:
            fixed: list[RegionNode] = [
                {"name": n["name"], "inputs": n["inputs"], "supported_by": [place[n["name"]]]} for n in nodes
            ]
            best = min(best, cost + REGION_SECONDS * fewest(fixed, devices, free=False))
    return best


def priced(rng: random.Random, nodes: list[RegionNode], devices: Sequence[str]) -> list[RegionNode]:
    for node in nodes:
        node["cost"] = {d: rng.choice([1e-5, 1e-4, 4e-4]) for d in devices if rng.random() < 0.9}
        node["bytes"] = rng.choice([0, 100_000, 3_000_000])
    return nodes


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("exact", [True, False])
def test_no_placement_is_cheaper(count: int, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exact:
        monkeypatch.setattr(cost_placement, "EXACT_WORK", 0)
    devices = DEVICES[:count]
    rng = random.Random(count)
    found = []
    for _ in range(40):
        nodes = priced(rng, random_graph(rng, 6, devices), devices)
        plan = plan_regions(nodes, devices, "cost")
        assert problem(nodes, devices, plan) == ""
        cost = seconds(nodes, places_of(nodes, plan)) + REGION_SECONDS * len(plan)
        found.append(cost / max(least(nodes, devices), 1e-12) if cost else 1.0)
    assert min(found) > 1 - 1e-9
    assert max(found) < (1 + 1e-9 if exact else 1.35)
    assert sum(found) / len(found) < (1 + 1e-9 if exact else 1.02)


def test_unlike_costs_are_worth_a_region_each() -> None:
    nodes = read_graph("p[a/b](x); q[a/b](p); r[a/b](q)")
    for node, slow in zip(nodes, "bab", strict=True):
        node["cost"] = {"a": 1e-2 if slow == "a" else 1e-3, "b": 1e-2 if slow == "b" else 1e-3}
    assert plan_regions(nodes, ["a", "b"], "cost") == [("a", ["p"]), ("b", ["q"]), ("a", ["r"])]


def test_bytes_keep_ops_together() -> None:
    nodes = read_graph("p[a/b](x); q[a/b](p); r[a/b](q)")
    for node, slow in zip(nodes, "bab", strict=True):
        node["cost"] = {"a": 1e-2 if slow == "a" else 1e-3, "b": 1e-2 if slow == "b" else 1e-3}
        node["bytes"] = 10**9
    assert plan_regions(nodes, ["a", "b"], "cost") == [("a", ["p", "q", "r"])]
    assert len(plan_regions(nodes, ["a", "b"], "cost", bandwidth=1e14)) == 3


def test_without_costs_the_first_device_takes_all_it_can() -> None:
    nodes = read_graph("p[a/b](x); q[a/b](p)")
    assert plan_regions(nodes, ["b", "a"], "cost") == [("b", ["p", "q"])]
    assert plan_regions([], ["a"], "cost") == []
    assert plan_regions(read_graph("p(x)"), ["a"], "cost") == []


@pytest.mark.parametrize("size", [80, 4000])
def test_a_large_graph_costs_no_more_than_by_priority_or_fewest_regions(size: int) -> None:
    rng = random.Random(size)
    nodes: list[RegionNode] = [
        {
            "name": f"n{n}",
            "inputs": [f"n{rng.randrange(max(0, n - 5), n)}"] if n else [],
            "supported_by": [device for device in DEVICES if rng.random() < 0.9],
        }
        for n in range(size)
    ]
    priced(rng, nodes, DEVICES)
    costs = {}
    for placement in ("priority", "fewest_regions", "cost"):
        plan = plan_regions(nodes, DEVICES, placement)
        assert check_plan(nodes, plan, DEVICES) == []
        costs[placement] = seconds(nodes, places_of(nodes, plan)) + REGION_SECONDS * len(plan)
    assert costs["cost"] < 0.9 * min(costs["priority"], costs["fewest_regions"])
