"""The kit's graphs to divide, and whether the planner and a device's limits divide them as they should.

``partition_scenarios.json`` holds small graphs in one line each, ops as ``name[devices](inputs)``::

    p[a/b](x); q(p); r[a](p,q)     b too runs p, no device runs q, and x is an input of the graph

with the fewest regions when each op goes to the first device that takes it and when any may be chosen,
both found by exhaustive search, and the regions of the detector ``reverse_dfs``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lite.plugin.device import Limits
from lite.subgraph.limits import SplitNode, split_for_limits
from lite.subgraph.numbered_ops import Region, RegionNode
from lite.subgraph.plan_regions import PLACEMENTS, plan_regions
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.verify_plan import check_plan

FILE = Path(__file__).parent / "partition_scenarios.json"


@dataclass(frozen=True)
class Scenario:
    """A graph for some devices, in the user's order, and what the planner makes of it."""

    name: str
    about: str
    devices: tuple[str, ...]
    graph: str
    priority: int
    fewest_regions: int
    reverse_dfs: tuple[str, ...]
    """Regions as ``device:op,op``, in any order."""

    @property
    def nodes(self) -> list[RegionNode]:
        """The graph as the planner takes it."""
        return read_graph(self.graph)


@dataclass(frozen=True)
class PartitionVerdict:
    """What came of a scenario: nothing wrong, or what is, one sentence each."""

    scenario: Scenario
    wrong: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every plan was as expected."""
        return not self.wrong


@functools.cache
def read_scenarios(path: Path = FILE) -> tuple[Scenario, ...]:
    """Every scenario of the kit."""
    return tuple(
        Scenario(
            entry["name"],
            entry["about"],
            tuple(entry["devices"]),
            entry["graph"],
            entry["priority"],
            entry["fewest_regions"],
            tuple(entry["reverse_dfs"]),
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    )


def read_graph(text: str) -> list[RegionNode]:
    """The ops of a line such as ``p[a](x); q(p)``."""
    nodes: list[RegionNode] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        head, _, inputs = part.rstrip(")").partition("(")
        name, _, devices = head.rstrip("]").partition("[")
        nodes.append(
            {
                "name": name,
                "inputs": [source for source in inputs.split(",") if source],
                "supported_by": [device for device in devices.split("/") if device],
            }
        )
    return nodes


def check_partition(
    scenarios: Iterable[Scenario], limits: Mapping[str, Limits] | None = None
) -> Iterator[PartitionVerdict]:
    """Divide each graph in every way; with `limits` of its devices, also split the regions by them.

    For this each op is taken to have one weight of 1 kB and to write one value of 1 kB.
    """
    for scenario in scenarios:
        yield PartitionVerdict(scenario, tuple(_problems(scenario, limits or {})))


def _problems(scenario: Scenario, limits: Mapping[str, Limits]) -> Iterator[str]:
    nodes, devices = scenario.nodes, scenario.devices
    plans = {placement: plan_regions(nodes, devices, placement) for placement in PLACEMENTS}
    plans["reverse_dfs"] = reverse_dfs_regions(nodes, devices)
    for way, plan in plans.items():
        yield from (f"{way}: {problem}" for problem in check_plan(nodes, plan, devices))
        parts = list(_split(nodes, plan, limits))
        yield from (
            f"{way}, split: {problem}" for problem in check_plan(nodes, parts, devices, complete=False)
        )
    for way, count in (("priority", scenario.priority), ("fewest_regions", scenario.fewest_regions)):
        if len(plans[way]) != count:
            yield f"{way}: {len(plans[way])} regions, expected {count}"
    found = sorted(f"{device}:{','.join(sorted(names))}" for device, names in plans["reverse_dfs"])
    if found != sorted(scenario.reverse_dfs):
        yield f"reverse_dfs: {' '.join(found)}, expected {' '.join(sorted(scenario.reverse_dfs))}"
    backwards = [node.copy() for node in reversed(nodes)]
    if plan_regions(backwards, devices) != plans["priority"]:
        yield "priority: another plan when the ops are given in another order"


def _split(
    nodes: Sequence[RegionNode], plan: Sequence[Region], limits: Mapping[str, Limits]
) -> Iterator[Region]:
    """The regions in the parts that the limits allow, without ops that no region can hold."""
    by_name = {node["name"]: node for node in nodes}
    read = {(source, node["name"]) for node in nodes for source in node["inputs"]}
    for device, names in plan:
        inside = set(names)
        region: list[SplitNode] = [
            {
                "name": name,
                "inputs": by_name[name]["inputs"],
                "outputs": {name: 1000},
                "read_outside": {
                    source for source, reader in read if source == name and reader not in inside
                },
                "weights": {name: 1000},
            }
            for name in names
        ]
        for part in split_for_limits(region, limits.get(device, Limits())).parts:
            yield device, part
