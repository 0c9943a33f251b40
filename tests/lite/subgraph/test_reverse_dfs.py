"""The detector finds the regions that a literal implementation of Paddle-Lite's algorithm finds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from lite.subgraph import reverse_dfs
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.verify_plan import check_plan
from tests.lite.subgraph.plans import (
    SCENARIOS,
    as_pairs,
    graph_of,
    problem,
    random_ops,
    read_scenarios,
    scenario_graph,
)

RegionSet = set[tuple[int, frozenset[int]]]


def as_set(regions: Iterable[PlannedRegion]) -> RegionSet:
    return {(region.device, frozenset(region.ops)) for region in regions}


def searched_backwards(graph: OpGraph) -> RegionSet:
    """Paddle-Lite's detector from its description: sets of ops, and a full search for each decision."""
    ops = range(len(graph))
    members = {n: {n} for n in ops}
    sources = {n: set(graph.sources[n]) for n in ops}
    readers = {n: set(graph.readers[n]) for n in ops}
    placed: dict[int, int] = {}
    absorbed: set[int] = set()

    def leads_to(start: int, ends: set[int]) -> bool:
        """Whether a search backwards from the ends reaches `start`."""
        seen: set[int] = set()
        pending = list(ends)
        while pending:
            n = pending.pop()
            if n == start:
                return True
            if n not in seen:
                seen.add(n)
                pending += sources[n]
        return False

    def join(n: int, other: int) -> None:
        members[n] |= members.pop(other)
        for source in sources[other] - {n}:
            readers[source] = readers[source] - {other} | {n}
        for reader in readers[other]:
            sources[reader] = sources[reader] - {other} | {n}
        sources[n] |= sources[other] - {n}
        readers[n] = readers[n] - {other} | readers[other]
        absorbed.add(other)
        sources[other] = readers[other] = set()

    for device in range(graph.device_count):
        marked = {n for n in ops if n not in placed and device in graph.ops[n].devices}
        placed |= dict.fromkeys(marked, device)
        for n in ops:
            while n in marked and n not in absorbed:
                joined = [d for d in sorted(readers[n] & marked) if not leads_to(n, sources[d] - {n})]
                for other in joined:
                    join(n, other)
                if not joined:
                    break
    return {(placed[n], frozenset(ops)) for n, ops in members.items() if n in placed}


@pytest.mark.skipif(not SCENARIOS.is_file(), reason="no partition scenarios beside the checkout")
@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: str(scenario["id"]))
def test_scenario_is_divided_as_by_paddle_lite(scenario: dict[str, Any]) -> None:
    names = [node["name"] for node in scenario["nodes"]]
    device = ""
    expected: RegionSet = set()
    for word in scenario["results"]["paddle_lite_sim"].split():
        before, colon, group = word.rpartition(":")
        device = before if colon else device
        ops = frozenset(names.index(name) for name in group.strip("{}").split(","))
        expected.add((scenario["targets_priority"].index(device), ops))
    assert as_set(reverse_dfs_regions(scenario_graph(scenario))) == expected


@pytest.mark.parametrize("gap", [reverse_dfs._Order._GAP, 3])
def test_random_graphs_are_divided_as_described(gap: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reverse_dfs._Order, "_GAP", gap)
    rng = random.Random(0)
    for number in range(400):
        graph = OpGraph(random_ops(rng, rng.randint(1, 30), 1 + number % 3))
        plan = reverse_dfs_regions(graph)
        assert problem(graph, plan) == ""
        assert as_set(plan) == searched_backwards(graph)
        assert reverse_dfs_regions(graph) == plan


def test_one_device_leaves_ops_that_it_does_not_take() -> None:
    text = "p[a](x); q[b](p); r[a/b](q); s[a](r)"
    assert as_pairs(reverse_dfs_regions(graph_of(text, "a"))) == [(0, (0,)), (0, (2, 3))]
    assert reverse_dfs_regions(graph_of(text, "c")) == []
    assert reverse_dfs_regions(OpGraph([])) == []


def test_a_later_device_does_not_close_a_cycle_through_the_region_of_an_earlier_one() -> None:
    graph = graph_of("p[a](x); s[b](x); q[a](p,s); t[b](s,p)", "a", "b")
    plan = reverse_dfs_regions(graph)
    assert as_pairs(plan) == [(1, (1,)), (0, (0, 2)), (1, (3,))]
    assert check_plan(graph, plan) == []


def test_siblings_are_not_joined() -> None:
    assert as_set(reverse_dfs_regions(graph_of("p[a](x); q[a](x)", "a"))) == {
        (0, frozenset({0})),
        (0, frozenset({1})),
    }


def test_a_long_ladder_of_skips_is_divided_into_single_ops() -> None:
    graph = OpGraph(
        [
            PlannedOp(tuple(sorted({1, n - 2, n - 1})) if n > 1 else (), (0,) if n % 2 else ())
            for n in range(3000)
        ]
    )
    plan = reverse_dfs_regions(graph)
    assert check_plan(graph, plan) == []
    assert len(plan) == 1500
