"""Ops, regions and costs as the planners see them: integers and nothing of the IR.

An op is a number.  Ops are numbered in an order in which they can run, so an op reads only ops with
smaller numbers.  A device is a number, too: its position in the user's list, 0 being preferred to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lite.errors import GraphError

HOST = -1
"""Stands for the host where the number of a device is expected."""

BANDWIDTH = 1e10
"""Bytes per second across the boundary of a region: the speed at which one core copies arrays."""
REGION_SECONDS = 1e-4
"""Seconds to start a region, however little it computes."""
OP_SECONDS = 1e-5
"""Seconds of an op on a device that states no cost for it."""


@dataclass(frozen=True, slots=True)
class PlannedOp:
    """One op: the ops that it reads and the devices that can run it, both ascending and without repeats.

    Placement by cost also uses `seconds`, the op's time by device, and `bytes`, the size of its outputs.
    """

    sources: tuple[int, ...] = ()
    devices: tuple[int, ...] = ()
    seconds: Mapping[int, float] = field(default_factory=dict)
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class PlannedRegion:
    """The ops that a device runs at once, in an order in which they can run."""

    device: int
    ops: tuple[int, ...]


class OpGraph:
    """The ops to divide; `readers` lists for each op the ops that read it.

    Raises `GraphError` for an op that reads itself or an op with a larger number.
    """

    def __init__(self, ops: Sequence[PlannedOp]) -> None:
        self.ops = ops
        self.sources = [op.sources for op in ops]
        self.readers: list[list[int]] = [[] for _ in ops]
        self.device_count = 1 + max((op.devices[-1] for op in ops if op.devices), default=-1)
        for n, sources in enumerate(self.sources):
            for source in sources:
                if not 0 <= source < n:
                    raise GraphError(f"op {n} reads op {source}; ops must be numbered in running order")
                self.readers[source].append(n)

    def __len__(self) -> int:
        return len(self.ops)
