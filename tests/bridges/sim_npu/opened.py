"""The device under test, and how often its nodes stand in a compiled region."""

from __future__ import annotations

from collections import Counter
from typing import Any

from lite.bridges.sim_npu.device import NpuOptions, SimNpu
from lite.bridges.sim_npu.sdk.blob import unpack
from lite.plugin.device import Settings, meta_of
from tests.bridges.region import reasons, region


def opened(**options: Any) -> SimNpu:
    """The device, opened with these options."""
    return SimNpu(NpuOptions(**options), Settings())


def nodes_of(text: str) -> Counter[str]:
    """The kinds of nodes that a region becomes."""
    graph = region(text)
    model = opened().compile(graph, tuple(meta_of(arg) for arg in graph.args))
    return Counter(found.kind for found in unpack(model.serialize()).instructions)


def reason(text: str) -> str | None:
    """What the bridges say of a region of one op, None or a sentence."""
    (found,) = reasons(opened(), text)
    return found
