"""What a pass is, what it is given and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import HOST, Place, Shape
from lite.plan import Plan
from lite.plugin.device import Device
from lite.plugin.device.roster import DeviceRoster
from lite.subgraph.report import PlacementReport

# What a model without devices does without.
if TYPE_CHECKING:
    from lite.subgraph.measured_costs import MeasuredCosts
    from lite.subgraph.partition_rules import PartitionRules


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
    """The pass changed something and wants to run again, a bounded number of times, for `reason`."""

    reason: str


Result = Outcome | Retry


@dataclass
class PassContext:
    """What passes may look at besides the graph, and where the last of them leave their result.

    `input_shapes` are the user's promises.  `dot_dir` is where pictures go.  `memory` is the buffer
    strategy the user wants, `plan_memory` the one that holds (nothing is shared until
    ``memory_optimize_pass`` says so).  `history` names the passes that ran so far, in order.

    `devices` are those that regions are looked for, in the user's order; the `roster` opens and asks them.
    `placement`, `rules` and `min_subgraph_ops` steer that, with measured `costs` where there are any; ops
    named in `without` stay on the host, and `placed` says what came of it.  `subgraph_passes` are
    those of the list, for what is left of a region that does not compile as a whole; `host_passes` is the
    rest of the list behind them: what a region's ops go through on the host.
    """

    program: Program
    valid_places: tuple[Place, ...] = (Place(HOST),)
    input_shapes: Mapping[str, Shape] = field(default_factory=dict)
    dot_dir: Path | None = None
    memory: str = "compact"
    plan_memory: str = "plain"
    plan: Plan | None = None
    devices: tuple[Device[Any], ...] = ()
    placement: str = "priority"
    rules: PartitionRules | None = None
    min_subgraph_ops: int = 2
    roster: DeviceRoster = field(default_factory=DeviceRoster)
    without: frozenset[str] = frozenset()
    costs: MeasuredCosts | None = None
    host_passes: tuple[str, ...] = ()
    subgraph_passes: tuple[str, ...] = ()
    placed: PlacementReport = field(default_factory=PlacementReport)
    history: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pass:
    """One transformation of a graph.

    A subclass stands in a file of its own, named after the pass; one with options is a frozen dataclass,
    whose fields they are.  It holds no other state, leaves a graph that verifies, and says whether it changed
    anything.  The docstring shows *before → after*.

    `after` names passes that must not come later in a list that has them.  `targets` restricts the
    pass to runs where one of these targets is among the valid places (empty: always).  `whole_program`
    passes run once, on the main graph; others on every block, inner blocks first.
    """

    name: ClassVar[str]
    after: ClassVar[tuple[str, ...]] = ()
    targets: ClassVar[tuple[str, ...]] = ()
    whole_program: ClassVar[bool] = False

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Transform the graph in place; raises `PassError` when it cannot be done right."""
        raise NotImplementedError
