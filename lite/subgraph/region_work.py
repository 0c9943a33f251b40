"""The work of a region: multiply-accumulates, bytes and seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lite.ir.graph import Node, Value
from lite.ir.types import HOST
from lite.ops.macs import macs
from lite.ops.view import product
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


def node_macs(node: Node) -> int | None:
    """The multiply-accumulates of an op; None where its shapes are unknown."""
    return macs(
        node.op,
        {slot: [value.shape for value in values] for slot, values in node.inputs.items()},
        {slot: [value.shape for value in values] for slot, values in node.outputs.items()},
    )


def value_bytes(value: Value) -> int | None:
    """The bytes of a value; None where its element type or shape is unknown."""
    count = None if value.shape is None else product(value.shape)
    return None if value.dtype is None or count is None else count * value.dtype.itemsize


def total_bytes(values: Sequence[Value]) -> int | None:
    """The bytes of several values; None where `value_bytes` is None for one of them."""
    sizes = [value_bytes(value) for value in values]
    return None if None in sizes else sum(size for size in sizes if size is not None)
