"""The name of the processor, for tables of measurements."""

from __future__ import annotations

import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")

_VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}
"""The vector instructions by their names in /proc/cpuinfo, widest first."""


def processor(cpuinfo: Path = _CPUINFO) -> str:
    """The name of the processor, with its widest vector instructions if `cpuinfo` lists them."""
    facts: dict[str, str] = {}
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").partition("\n\n")[0].splitlines():
            key, _, value = line.partition(":")
            facts[key.strip()] = value.strip()
    name = facts.get("model name") or platform.processor() or platform.machine()
    features = (facts.get("flags") or facts.get("Features", "")).split()
    vectors = next((vectors for feature, vectors in _VECTORS.items() if feature in features), "")
    return f"{name} with {vectors}" if vectors else name
