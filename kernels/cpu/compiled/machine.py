"""What this machine's vector registers are."""

from __future__ import annotations

from llvmlite import binding

_FEATURES = binding.get_host_cpu_features()

HAS_MASKS = bool(_FEATURES.get("avx512vl"))
"""Whether part of a vector is loaded and stored as fast as a whole one."""

_HAS_WIDE_UNITS = bool(_FEATURES.get("avx512f")) and not binding.get_host_cpu_name().startswith("znver4")
"""Zen 4 runs an instruction on 16 lanes as two on 8, which leave fewer lanes empty."""

LANES = 16 if _HAS_WIDE_UNITS else 8
"""Elements of a vector."""

REGISTERS = 32 if HAS_MASKS or _FEATURES.get("neon") else 16
