"""Paddle-Lite's detector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.subgraph.plan_regions import Region, RegionNode


def reverse_dfs_regions(nodes: Iterable[RegionNode], devices: str | Sequence[str]) -> list[Region]:
    """Regions of one device, or of several, one device after the other."""
    raise NotImplementedError
