"""Moves the parts of a graph that devices can run into regions."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.entries import enter_ops
from lite.passes.registry import register_pass
from lite.plugin.device import Device
from lite.plugin.device.roster import named_twice
from lite.spec.grammar import Spec


@register_pass
@dataclass(frozen=True)
class SubgraphPass(Pass):
    """Replaces each region that a device can run by one op, with the unchanged ops in a nested graph::

        %b = relu(X=%a)        ->  %c = subgraph(Inputs=%a) {device="npu", region=0}
        %c = sigmoid(X=%b)           graph npu_0(%a) { … return %c }

    `device` or `devices` restrict the pass to some devices of the Config (by default it plans for all of
    them together), or name others, with options.  `placement`: "priority" gives each op to the first
    device that can run it, "fewest_regions" and "cost" assign freely.  `detector`: "levels" makes the
    fewest regions, "reverse_dfs" joins neighbours as Paddle-Lite does, for one device after the other.
    With `connected`, regions are weakly connected.  Regions with fewer than `min_subgraph_ops` ops that
    compute are given back to the host.  With a plan in the Config, its regions
    are made instead.  A recipe in the Config quantises the values of regions.
    """

    name: ClassVar[str] = "subgraph_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    device: str | Spec | None = None
    devices: tuple[str | Spec, ...] = ()
    placement: Literal["", "priority", "fewest_regions", "cost"] = ""
    detector: Literal["levels", "reverse_dfs"] = "levels"
    connected: bool = False
    min_subgraph_ops: int | None = None

    def __post_init__(self) -> None:
        if self.device is not None and self.devices:
            raise ConfigError(f"pass {self.name}: give device or devices, not both")
        twice = named_twice([_name(item) for item in self.devices])
        if twice is not None:
            raise ConfigError(f"pass {self.name}: devices: {twice!r} is named twice")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Mark, partition, prune, rewrite and report; ops that are in regions already stay there."""
        devices = self._devices(ctx)
        if not devices:
            enter_ops(graph, ctx.results.placed)
            return Outcome.of(False)
        # A model for the host alone loads sooner without the partitioner.
        from lite.passes.placement.regions import move_to_regions

        options = ctx.subgraph
        if options.pinned is not None and any(r.block == graph.name for r in ctx.results.placed.regions):
            # An earlier pass of the list has made all regions of the plan.
            return Outcome.UNCHANGED
        moved = move_to_regions(
            graph,
            ctx,
            devices,
            detector=self.detector,
            placement=self.placement or options.placement,
            connected=self.connected,
            least=options.min_subgraph_ops if self.min_subgraph_ops is None else self.min_subgraph_ops,
        )
        return Outcome.of(moved)

    def _devices(self, ctx: PassContext) -> list[Device[Any]]:
        items = self.devices if self.device is None else (self.device,)
        if not items:
            return list(ctx.devices)
        known = {device.name: device for device in ctx.devices}
        devices: list[Device[Any]] = []
        for item in items:
            name = _name(item)
            if isinstance(item, Spec) or name not in known:
                known[name] = ctx.subgraph.roster.open(item)
                if known[name] not in ctx.results.devices:
                    ctx.results.devices.append(known[name])
            devices.append(known[name])
        return devices


def _name(item: str | Spec) -> str:
    return item.name if isinstance(item, Spec) else item
