"""The vector registers and the caches of this machine."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import platform
from pathlib import Path

from lite.dataclass import dataclass
from lite.kernels.cpu.native.folder import keep, read_kept

_PROCESSORS = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_FIRST_CACHE, _USUAL_CACHE = 1 << 13, 1 << 16
_LANES, _REGISTERS = (8, 16), (16, 32)


@dataclass(frozen=True)
class Machine:
    """LLVM's names for the processor and its features, float32 lanes of a register, number of registers."""

    cpu: str
    features: str
    lanes: int
    registers: int

    @property
    def has_masks(self) -> bool:
        """Whether loads and stores of some lanes take no longer than those of whole vectors."""
        return "+avx512vl" in self.features.split(",")


@functools.cache
def machine() -> Machine:
    """This machine, as LLVM describes it; kept on disk, because loading LLVM takes 40 MB."""
    name = f"{processor_key()}.machine"
    for content in read_kept(name):
        try:
            kept = Machine(**json.loads(content))
        except (ValueError, TypeError):
            # A damaged file: ask LLVM again.
            continue
        if kept.lanes in _LANES and kept.registers in _REGISTERS:
            return kept
    described = _ask_llvm()
    keep(name, json.dumps(dataclasses.asdict(described)).encode())
    return described


@functools.cache
def cache_elements() -> int:
    """The float32 numbers in the second-level cache of a core; 65536 where the system does not say."""
    return _elements("index2") or _USUAL_CACHE


@functools.cache
def first_cache_elements() -> int:
    """The float32 numbers in the first-level cache of a core; 8192 where the system does not say."""
    return _elements("index0") or _USUAL_FIRST_CACHE


def _elements(cache: str) -> int:
    try:
        text = (_CACHES / cache / "size").read_text().strip()
    except OSError:
        return 0
    return int(text[:-1]) * 256 if text[:-1].isdigit() and text.endswith("K") else 0


@functools.cache
def processor_key() -> str:
    """A hash of the system's description of the processor."""
    try:
        # Only the first processor: with many of them the file is slow to read.
        with _PROCESSORS.open() as file:
            lines = file.read(4096).partition("\n\n")[0].splitlines()
        facts = [line for line in lines if line.startswith(("vendor", "model", "flags", "Features", "CPU "))]
    except OSError:
        facts = [platform.processor()]
    return hashlib.sha256("\n".join([platform.machine(), *facts]).encode()).hexdigest()[:16]


def _ask_llvm() -> Machine:
    from llvmlite import binding

    features, cpu = binding.get_host_cpu_features(), binding.get_host_cpu_name()
    # Zen 4 executes an instruction on 16 lanes as two on 8; vectors of 8 leave fewer lanes empty.
    has_wide_units = bool(features.get("avx512f")) and not cpu.startswith("znver4")
    registers = 32 if features.get("avx512vl") or features.get("neon") else 16
    return Machine(cpu, features.flatten(), 16 if has_wide_units else 8, registers)
