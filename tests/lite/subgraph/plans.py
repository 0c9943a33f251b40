"""Graphs to plan, an independent judge of plans, and exhaustive searches."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lite.subgraph.numbered_ops import Region, RegionNode

SCENARIOS = Path(__file__).resolve().parents[3].parent / "shared" / "partition" / "scenarios.json"


def read_scenarios() -> list[dict[str, Any]]:
    """The scenarios beside the checkout; none where they are absent."""
    return list(json.loads(SCENARIOS.read_text(encoding="utf-8"))) if SCENARIOS.is_file() else []


def random_graph(rng: random.Random, size: int, devices: Sequence[str]) -> list[RegionNode]:
    """Ops in random order that read up to two earlier ones; each device takes 60 % of them."""
    nodes: list[RegionNode] = []
    for n in range(size):
        inputs = [f"n{rng.randrange(n)}" for _ in range(rng.randint(0, 2)) if n] or ["x"]
        able = [device for device in devices if rng.random() < 0.6]
        nodes.append({"name": f"n{n}", "inputs": inputs, "supported_by": able})
    rng.shuffle(nodes)
    return nodes


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
    sources = {name: set(node["inputs"]) & set(by_name) for name, node in by_name.items()}
    done: set[str] = set()

    def run_the_others() -> None:
        grown = True
        while grown:
            ready = [n for n in by_name if n not in placed and n not in done and sources[n] <= done]
            done.update(ready)
            grown = bool(ready)

    run_the_others()
    for _, names in plan:
        for name in names:
            if not sources[name] <= done:
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


def placements(nodes: Sequence[RegionNode], devices: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """Every way to give each op to a device that takes it, or to the host where none does."""
    able = [[d for d in devices if d in node["supported_by"]] or ["host"] for node in nodes]
    for chosen in itertools.product(*able):
        yield {node["name"]: device for node, device in zip(nodes, chosen, strict=True)}
