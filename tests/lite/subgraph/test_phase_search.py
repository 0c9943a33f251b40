"""The search for phases gives them in order, and little more than needed where it is not exact."""

from __future__ import annotations

import random

import pytest

from lite.subgraph import phase_search
from lite.subgraph.numbered_ops import NumberedOps, RegionNode
from lite.subgraph.phase_search import Phase, search_phases
from lite.subgraph.plan_regions import plan_regions
from lite.tools.conformance.partition import read_graph
from tests.lite.subgraph.plans import problem


def test_each_phase_follows_the_one_before() -> None:
    graph = NumberedOps(read_graph("p(x); q(p); r(q); s(r)"))
    first = Phase(1, (0,), None)
    second = Phase(0, (1,), first)
    assert search_phases(graph, [(1,), (0,), (), (0,)], 2) == [first, second, Phase(0, (3,), second)]


def test_nothing_to_run() -> None:
    assert search_phases(NumberedOps([]), [], 2) == []
    assert search_phases(NumberedOps(read_graph("p(x); q(p)")), [(), ()], 1) == []


def test_the_search_stays_near_the_fewest_when_it_may_not_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    devices = ["a", "b", "c"]
    nodes: list[RegionNode] = [
        {
            "name": f"n{n}",
            "inputs": [f"n{rng.randrange(max(0, n - 30), n)}" for _ in range(2)] if n else [],
            "supported_by": [rng.choice(devices)] if n % 10 else [],
        }
        for n in range(300)
    ]
    exact = plan_regions(nodes, devices)
    monkeypatch.setattr(phase_search, "EXACT_WORK", 0)
    plan = plan_regions(nodes, devices)
    assert problem(nodes, devices, plan) == ""
    assert len(exact) <= len(plan) <= 1.1 * len(exact)
