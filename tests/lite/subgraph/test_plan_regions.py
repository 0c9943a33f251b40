"""Plans are complete and valid by an independent check, and as small as an exhaustive search finds."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from lite.errors import ConfigError, GraphError
from lite.subgraph import RegionNode, plan_regions
from lite.subgraph.plan_regions import Region

SCENARIOS = Path(__file__).resolve().parents[3].parent / "shared" / "partition" / "scenarios.json"


def read_scenarios() -> list[dict[str, object]]:
    return list(json.loads(SCENARIOS.read_text(encoding="utf-8"))) if SCENARIOS.is_file() else []


def problem(nodes: Sequence[RegionNode], devices: Sequence[str], plan: Sequence[Region]) -> str:
    """What is wrong with a plan: coverage, devices, order within and between regions."""
    placed = {name: number for number, (_, names) in enumerate(plan) for name in names}
    if len(placed) != sum(len(names) for _, names in plan):
        return "an op is in two regions"
    by_name = {node["name"]: node for node in nodes}
    supported = {name for name, node in by_name.items() if set(node["supported_by"]) & set(devices)}
    if set(placed) != supported:
        return f"covers {sorted(placed)}, expected {sorted(supported)}"
    if any(plan[number][0] not in by_name[name]["supported_by"] for name, number in placed.items()):
        return "an op is on a device that does not support it"
    done: set[str] = set()

    def run_the_others() -> None:
        grown = True
        while grown:
            ready = [
                name
                for name, node in by_name.items()
                if name not in placed and name not in done and set(node["inputs"]) & set(by_name) <= done
            ]
            done.update(ready)
            grown = bool(ready)

    run_the_others()
    for _, names in plan:
        for name in names:
            if not set(by_name[name]["inputs"]) & set(by_name) <= done:
                return f"{name} runs before its inputs"
            done.add(name)
        run_the_others()
    return "" if done == set(by_name) else "ops are left over"


def fewest(nodes: Sequence[RegionNode], devices: Sequence[str], free: bool) -> int:
    """The smallest number of regions, by trying every sequence of devices, shortest first.

    Each phase may also run only some of what its device can: every subset that can run is tried.
    """
    by_name = {node["name"]: node for node in nodes}

    def takers(name: str) -> list[str]:
        able = [device for device in devices if device in by_name[name]["supported_by"]]
        return able if free else able[:1]

    def ready(done: frozenset[str]) -> list[str]:
        return [n for n, x in by_name.items() if n not in done and set(x["inputs"]) & set(by_name) <= done]

    def closed(done: frozenset[str]) -> frozenset[str]:
        while more := [name for name in ready(done) if not takers(name)]:
            done |= frozenset(more)
        return done

    def grown(done: frozenset[str], device: str) -> set[frozenset[str]]:
        found: set[frozenset[str]] = set()
        fresh = {done}
        while fresh:
            fresh = {s | {n} for s in fresh for n in ready(s) if device in takers(n)} - found
            found |= fresh
        return {closed(state) for state in found}

    states = {closed(frozenset())}
    for count in itertools.count():
        if any(len(state) == len(by_name) for state in states):
            return count
        states = {after for state in states for device in devices for after in grown(state, device)}
    raise AssertionError


def random_graph(rng: random.Random, size: int, devices: Sequence[str]) -> list[RegionNode]:
    nodes: list[RegionNode] = []
    for n in range(size):
        inputs = [f"n{rng.randrange(n)}" for _ in range(rng.randint(0, 2)) if n] or ["x"]
        able = [device for device in devices if rng.random() < 0.6]
        nodes.append({"name": f"n{n}", "inputs": inputs, "supported_by": able})
    rng.shuffle(nodes)
    return nodes


@pytest.mark.skipif(not SCENARIOS.is_file(), reason="no partition scenarios beside the checkout")
@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: str(scenario["id"]))
def test_scenarios(scenario: dict[str, object]) -> None:
    nodes: list[RegionNode] = scenario["nodes"]  # type: ignore[assignment]
    devices: list[str] = scenario["targets_priority"]  # type: ignore[assignment]
    results: dict[str, int] = scenario["results"]  # type: ignore[assignment]
    plan = plan_regions(nodes, devices)
    assert problem(nodes, devices, plan) == ""
    assert len(plan) == results["min_groups"]
    split = plan_regions(nodes, devices, connected=True)
    assert problem(nodes, devices, split) == ""
    assert len(split) >= results["min_connected"]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("placement", ["priority", "fewest_regions"])
def test_no_plan_has_fewer_regions(count: int, placement: str) -> None:
    devices = ["a", "b", "c"][:count]
    rng = random.Random(count)
    for _ in range(60):
        nodes = random_graph(rng, 6, devices)
        plan = plan_regions(nodes, devices, placement)
        assert problem(nodes, devices, plan) == ""
        assert len(plan) == fewest(nodes, devices, placement == "fewest_regions")


def test_random_graphs_in_any_order() -> None:
    rng = random.Random(0)
    for number in range(600):
        devices = ["a", "b", "c"][: 1 + number % 3]
        nodes = random_graph(rng, rng.randint(1, 40), devices)
        placement = rng.choice(["priority", "fewest_regions"])
        plan = plan_regions(nodes, devices, placement)
        assert problem(nodes, devices, plan) == ""
        assert problem(nodes, devices, plan_regions(nodes, devices, placement, connected=True)) == ""
        rng.shuffle(nodes)
        assert len(plan_regions(nodes, devices, placement)) == len(plan)


def test_priority_is_the_order_of_the_devices() -> None:
    nodes: list[RegionNode] = [{"name": "n", "inputs": [], "supported_by": ["a", "b"]}]
    assert plan_regions(nodes, ["b", "a"]) == [("b", ["n"])]
    assert plan_regions(nodes, ["a", "b"]) == [("a", ["n"])]
    assert plan_regions(nodes, ["c"]) == []
    assert plan_regions([], ["a"]) == []
    assert plan_regions(nodes, []) == []


def test_connected_regions_hang_together() -> None:
    nodes: list[RegionNode] = [
        {"name": name, "inputs": inputs, "supported_by": ["a"]}
        for name, inputs in (("p", ["x"]), ("q", ["y"]), ("r", ["p"]))
    ]
    assert plan_regions(nodes, ["a"]) == [("a", ["p", "q", "r"])]
    assert plan_regions(nodes, ["a"], connected=True) == [("a", ["p", "r"]), ("a", ["q"])]


def test_what_cannot_be_planned() -> None:
    loop: list[RegionNode] = [
        {"name": "p", "inputs": ["q"], "supported_by": ["a"]},
        {"name": "q", "inputs": ["p"], "supported_by": []},
    ]
    with pytest.raises(GraphError, match="the ops form a cycle; among them or behind it: p, q"):
        plan_regions(loop, ["a"])
    with pytest.raises(GraphError, match="two ops are called 'p'"):
        plan_regions([loop[0], loop[0]], ["a"])
    with pytest.raises(ConfigError, match=r"placement 'priorty' is none of .*did you mean 'priority'"):
        plan_regions([], ["a"], "priorty")
