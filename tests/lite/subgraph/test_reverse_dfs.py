"""The detector finds the regions that Paddle-Lite's algorithm, as it is described, finds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from lite.errors import GraphError
from lite.subgraph import reverse_dfs
from lite.subgraph.numbered_ops import NumberedOps, RegionNode
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.verify_plan import check_plan
from lite.tools.conformance.partition import read_graph
from tests.lite.subgraph.plans import SCENARIOS, problem, random_graph, read_scenarios

Found = set[tuple[str, frozenset[str]]]


def as_sets(regions: Iterable[tuple[str, Iterable[str]]]) -> Found:
    return {(device, frozenset(names)) for device, names in regions}


def searched_backwards(nodes: Sequence[RegionNode], devices: Sequence[str]) -> Found:
    """Paddle-Lite's detector from its description, on ops alone: whole graphs of sets, searched anew."""
    numbered = NumberedOps(nodes)
    ops = range(len(numbered))
    names = {n: {numbered.names[n]} for n in ops}
    read = {n: set(numbered.sources[n]) for n in ops}
    readers = {n: set(numbered.readers[n]) for n in ops}
    placed: dict[int, str] = {}
    absorbed: set[int] = set()

    def leads_to(start: int, sources: set[int]) -> bool:
        """Whether a search backwards from the sources comes to `start`."""
        seen: set[int] = set()
        pending = list(sources)
        while pending:
            n = pending.pop()
            if n == start:
                return True
            if n not in seen:
                seen.add(n)
                pending += read[n]
        return False

    def join(n: int, other: int) -> None:
        names[n] |= names.pop(other)
        for source in read[other] - {n}:
            readers[source] = readers[source] - {other} | {n}
        for reader in readers[other]:
            read[reader] = read[reader] - {other} | {n}
        read[n] |= read[other] - {n}
        readers[n] = readers[n] - {other} | readers[other]
        absorbed.add(other)
        read[other] = readers[other] = set()

    for device in devices:
        marked = {n for n in ops if n not in placed and device in numbered.nodes[n]["supported_by"]}
        placed |= dict.fromkeys(marked, device)
        for n in ops:
            while n in marked and n not in absorbed:
                joined = [d for d in sorted(readers[n] & marked) if not leads_to(n, read[d] - {n})]
                for other in joined:
                    join(n, other)
                if not joined:
                    break
    return {(placed[n], frozenset(found)) for n, found in names.items() if n in placed}


@pytest.mark.skipif(not SCENARIOS.is_file(), reason="no partition scenarios beside the checkout")
@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: str(scenario["id"]))
def test_scenarios(scenario: dict[str, Any]) -> None:
    nodes, devices = scenario["nodes"], scenario["targets_priority"]
    device = ""
    wanted: Found = set()
    for word in scenario["results"]["paddle_lite_sim"].split():
        before, colon, group = word.rpartition(":")
        device = before if colon else device
        wanted.add((device, frozenset(group.strip("{}").split(","))))
    assert as_sets(reverse_dfs_regions(nodes, devices)) == wanted


@pytest.mark.parametrize("gap", [reverse_dfs._Order._GAP, 3])
def test_random_graphs_are_divided_as_described(gap: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reverse_dfs._Order, "_GAP", gap)
    rng = random.Random(0)
    for number in range(400):
        devices = ["a", "b", "c"][: 1 + number % 3]
        nodes = random_graph(rng, rng.randint(1, 30), devices)
        plan = reverse_dfs_regions(nodes, devices)
        assert problem(nodes, devices, plan) == ""
        assert as_sets(plan) == searched_backwards(nodes, devices)
        rng.shuffle(nodes)
        assert reverse_dfs_regions(nodes, devices) == plan


def test_one_device_leaves_what_it_does_not_take() -> None:
    nodes = read_graph("p[a](x); q[b](p); r[a/b](q); s[a](r)")
    assert reverse_dfs_regions(nodes, "a") == [("a", ["p"]), ("a", ["r", "s"])]
    assert reverse_dfs_regions(nodes, "c") == []
    assert reverse_dfs_regions([], "a") == []


def test_a_later_device_does_not_close_a_circle_through_an_earlier_ones_region() -> None:
    nodes = read_graph("p[a](x); q[a](p,s); s[b](x); t[b](s,p)")
    plan = reverse_dfs_regions(nodes, ["a", "b"])
    assert plan == [("b", ["s"]), ("a", ["p", "q"]), ("b", ["t"])]
    assert check_plan(nodes, plan) == []


def test_siblings_are_not_joined() -> None:
    assert as_sets(reverse_dfs_regions(read_graph("p[a](x); q[a](x)"), "a")) == {
        ("a", frozenset({"p"})),
        ("a", frozenset({"q"})),
    }


def test_a_long_ladder_of_skips() -> None:
    nodes = read_graph(
        "; ".join(f"n{n:04}{'[a]' if n % 2 else ''}(n{n - 1:04},n{n - 2:04},n0001)" for n in range(3000))
    )
    nodes[0]["inputs"] = nodes[1]["inputs"] = []
    plan = reverse_dfs_regions(nodes, "a")
    assert check_plan(nodes, plan) == []
    assert len(plan) == 1500


def test_a_cycle_is_an_error() -> None:
    with pytest.raises(GraphError, match="the ops form a cycle"):
        reverse_dfs_regions(read_graph("p[a](q); q[a](p)"), "a")
