"""Split a region that is larger than its device allows, where the fewest bytes cross."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from lite.plugin.device import Limits
from lite.subgraph.transfer_cost import BANDWIDTH, REGION_SECONDS

PART_BYTES = round(REGION_SECONDS * BANDWIDTH)
"""One more part costs as much as this many bytes over the boundary."""

_LIMITS = {
    "ops": "ops",
    "weight_bytes": "bytes of weights",
    "inputs": "inputs",
    "outputs": "outputs",
}
"""The limits that parts must keep, and what they count."""


class SplitNode(TypedDict):
    """An op of a region.

    `inputs` names the values it reads that are no constants, `outputs` gives those it writes with their
    bytes, of which `read_outside` are read outside the region; `weights` its constants with their bytes.
    """

    name: str
    inputs: Sequence[str]
    outputs: Mapping[str, int]
    read_outside: Collection[str]
    weights: Mapping[str, int]


@dataclass
class Split:
    """The parts of a region in running order; `refused` says why an op is above a limit by itself."""

    parts: list[list[str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def split_for_limits(nodes: Sequence[SplitNode], limits: Limits) -> Split:
    """Cut a region, whose ops are given in running order, into parts that keep the limits.

    Every part is a run of that order, so parts of a convex region are convex.  Among those the cuts are
    the cheapest: the fewest bytes that parts read from earlier ones, each part `PART_BYTES` more.  An op
    that no part can hold is refused, and no part reaches across it.

    A value that a part reads twice is one input; a weight that it uses twice counts once; a value is an
    output when another part or what is outside reads it.  Takes n times the ops of the largest part.
    """
    split = Split()
    caps = [(key, cap) for key in _LIMITS if (cap := getattr(limits, key)) is not None]
    if not nodes:
        return split
    table = _Measures(nodes)
    start = 0
    for end, node in enumerate(nodes):
        refusal = _refusal(table.alone(end), caps)
        if refusal:
            split.refused[node["name"]] = refusal
            split.parts += _cut(table, start, end, caps)
            start = end + 1
    split.parts += _cut(table, start, len(nodes), caps)
    return split
