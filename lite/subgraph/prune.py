"""Which regions are not worth running on a device, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RegionWork:
    """A region as the pruner sees it.

    `ops` are the types of its ops; `macs` their multiply-accumulate operations and `bytes` what crosses
    the boundary in one run, None where not known.  `host_seconds` and `device_seconds` are what its ops
    take there, where that was measured.
    """

    device: str
    ops: Sequence[str]
    macs: int | None = None
    bytes: int | None = None
    host_seconds: float | None = None
    device_seconds: float | None = None


def prune(regions: Iterable[RegionWork], min_subgraph_ops: int = 2) -> list[tuple[RegionWork, str]]:
    """Regions to give back to the host, each with the reason."""
    return []
