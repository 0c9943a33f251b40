"""The SDK nodes that a region becomes."""

from __future__ import annotations

from collections import Counter

from lite.bridges.sim_npu.sdk.blob import unpack
from tests.bridges.devices import SIM_NPU


def nodes_of(text: str) -> Counter[str]:
    """How many nodes of each kind the compiled region has."""
    return Counter(instruction.kind for instruction in unpack(SIM_NPU.compile(text).serialize()).instructions)
