"""The class of passes, their context and their results."""

from __future__ import annotations

import enum
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.ir.limits import Limits
from lite.ir.types import HOST, Place
from lite.plan import Plan
from lite.plugin.device import Device
from lite.plugin.device.roster import DeviceRoster
from lite.subgraph.report import PlacementReport

# Only models with devices need these.
if TYPE_CHECKING:
    from lite.subgraph.assumptions import Assumptions
    from lite.subgraph.measured_costs import MeasuredCosts
    from lite.subgraph.partition_rules import PartitionRules
    from lite.subgraph.recipe import Recipe
    from lite.subgraph.saved_plan import SavedPlan
    from lite.subgraph.tuned_placements import TunedPlacements


class Outcome(enum.Enum):
    """Whether a pass changed the graph."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"

    @classmethod
    def of(cls, changed: bool) -> Outcome:
        """CHANGED when `changed`."""
        return cls.CHANGED if changed else cls.UNCHANGED


@dataclass(frozen=True)
class Retry:
    """The pass changed something and requests another run, for `reason`; the number of runs is limited."""

    reason: str


Result = Outcome | Retry


@dataclass(frozen=True)
class SubgraphOptions:
    """The options of `subgraph_pass`: the devices, and how their regions are chosen.

    `devices` are in the user's order of preference; the `roster` opens devices and queries their properties.
    `placement`, `rules`, `min_subgraph_ops` and `recipe` are those of the Config; `costs` are measured times
    of ops, and `tuned` the placements that were measured whole.
    The ops named in `without` stay on the host; those that `assumed` allows count as supported.
    With `pinned`, regions are those of a saved plan.

    `subgraph_passes` are the `subgraph_pass` entries of the list: they place the rest of a region that
    does not compile as a whole.  `host_passes` are the passes that the list has after them: they prepare
    the ops of a region for the host.
    """

    devices: tuple[Device[Any], ...] = ()
    roster: DeviceRoster = field(default_factory=DeviceRoster)
    placement: str = "priority"
    rules: PartitionRules | None = None
    min_subgraph_ops: int = 2
    costs: MeasuredCosts | None = None
    without: frozenset[str] = frozenset()
    subgraph_passes: tuple[str, ...] = ()
    host_passes: tuple[str, ...] = ()
    recipe: Recipe | None = None
    assumed: Assumptions | None = None
    pinned: SavedPlan | None = None
    tuned: TunedPlacements | None = None


@dataclass
class PassResults:
    """The results of passes besides the changed graph.

    The runtime runs the `plan`.  `memory` is the strategy by which buffers share memory; "plain" shares
    none.  `placed` is the report of which op runs where and why.  `devices` are the devices that passes
    opened besides those of the Config.  `history` names the passes that ran, in order.
    """

    plan: Plan | None = None
    memory: str = "plain"
    placed: PlacementReport = field(default_factory=PlacementReport)
    devices: list[Device[Any]] = field(default_factory=list)
    history: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PassContext:
    """The inputs of passes besides the graph, and `results`, which passes write.

    `dot_dir` is the folder for pictures, `memory` the strategy for buffers that the user asked for;
    with `strict` (`Config.precision`), passes keep every rounding of the model.
    """

    valid_places: tuple[Place, ...] = (Place(HOST),)
    dot_dir: Path | None = None
    memory: str = "compact"
    strict: bool = False
    limits: Limits = field(default_factory=Limits)
    subgraph: SubgraphOptions = field(default_factory=SubgraphOptions)
    results: PassResults = field(default_factory=PassResults)

    @property
    def devices(self) -> tuple[Device[Any], ...]:
        """The devices that regions may run on; one that a pass opened replaces the Config's of its name."""
        own = {device.name: device for device in self.results.devices}
        return (*(d for d in self.subgraph.devices if d.name not in own), *own.values())


@dataclass(frozen=True)
class Pass:
    """One transformation of a graph.

    A subclass has a file of its own, named after the pass; one with options is a frozen dataclass,
    whose fields they are.  It holds no other state, leaves a graph that verifies, and reports whether it
    changed the graph.  The docstring shows *before → after*.

    `after` names passes that must not come later in a list that has them.  `targets` restricts the
    pass to runs where one of these targets is among the valid places (empty: always).  `whole_program`
    passes run once, on the main graph; others on every block, inner blocks first.

    `needs` names ops: the pass leaves programs that have none of them unchanged, so that it neither runs
    there nor is imported (empty: it always runs).  `after`, `targets` and `needs` are literals, because
    they are read from the source before the import.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    after: ClassVar[tuple[str, ...]] = ()
    targets: ClassVar[tuple[str, ...]] = ()
    whole_program: ClassVar[bool] = False

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Transform the graph in place; raises `PassError` when it cannot be done right."""
        raise NotImplementedError
