"""The work of a region: multiply-accumulates, bytes and seconds."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.graph import Node
from lite.ir.types import HOST
from lite.ops.node_work import node_macs, total_bytes
from lite.subgraph.mark import Marks
from lite.subgraph.rewrite import boundary


@dataclass(frozen=True)
class RegionWork:
    """The ops of a region, and the cost of running it once.

    `ops` are the types of its ops; `macs` their multiply-accumulates and `bytes` the data that crosses
    the boundary in one run, None where unknown.  `host_seconds` and `device_seconds` are the times of
    its ops there, where both were measured.
    """

    device: str
    ops: Sequence[str]
    macs: int | None = None
    bytes: int | None = None
    host_seconds: float | None = None
    device_seconds: float | None = None


def region_work(device: str, nodes: Sequence[Node], marks: Marks) -> RegionWork:
    """The work of ops on a device."""
    counts = [node_macs(node) for node in nodes]
    return RegionWork(
        device,
        [node.op for node in nodes],
        None if None in counts else sum(count for count in counts if count is not None),
        total_bytes([value for values in boundary(nodes) for value in values]),
        marks.seconds(nodes, HOST),
        marks.seconds(nodes, device),
    )
