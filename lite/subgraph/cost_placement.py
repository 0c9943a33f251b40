"""Give each op to the device that makes the whole cheapest."""

from __future__ import annotations

from collections.abc import Sequence

from lite.subgraph.numbered_ops import NumberedOps
from lite.subgraph.phase_search import Takers


def cheapest_takers(
    graph: NumberedOps, able: Takers, devices: Sequence[str], bandwidth: float
) -> list[tuple[int, ...]]:
    """For each op the one device, of those able, that it goes to."""
    return [takers[:1] for takers in able]
