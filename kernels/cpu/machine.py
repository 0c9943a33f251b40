"""What this machine's vector registers are."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import platform
from dataclasses import dataclass
from pathlib import Path

from lite.kernels.cpu.native.folder import keep, read_kept

_PROCESSORS = Path("/proc/cpuinfo")
_LANES, _REGISTERS = (8, 16), (16, 32)


@dataclass(frozen=True)
class Machine:
    """The processor in LLVM's words, the elements of a vector, and how many vectors the registers hold."""

    cpu: str
    features: str
    lanes: int
    registers: int


@functools.cache
def machine() -> Machine:
    """This machine; LLVM is asked once and the answer kept on disk, because loading it takes 40 MB."""
    name = f"{processor_key()}.machine"
    for content in read_kept(name):
        try:
            kept = Machine(**json.loads(content))
        except (ValueError, TypeError):
            # Damaged: LLVM is asked again.
            continue
        if kept.lanes in _LANES and kept.registers in _REGISTERS:
            return kept
    found = _ask_llvm()
    keep(name, json.dumps(dataclasses.asdict(found)).encode())
    return found


@functools.cache
def processor_key() -> str:
    """A hash of what the system says of the processor."""
    try:
        # The first processor of a list that is slow to read where there are many.
        with _PROCESSORS.open() as file:
            lines = file.read(4096).partition("\n\n")[0].splitlines()
        facts = [line for line in lines if line.startswith(("vendor", "model", "flags", "Features", "CPU "))]
    except OSError:
        facts = [platform.processor()]
    return hashlib.sha256("\n".join([platform.machine(), *facts]).encode()).hexdigest()[:16]


def _ask_llvm() -> Machine:
    from llvmlite import binding

    features, cpu = binding.get_host_cpu_features(), binding.get_host_cpu_name()
    # Zen 4 runs an instruction on 16 lanes as two on 8, which leave fewer lanes empty.
    has_wide_units = bool(features.get("avx512f")) and not cpu.startswith("znver4")
    registers = 32 if features.get("avx512vl") or features.get("neon") else 16
    return Machine(cpu, features.flatten(), 16 if has_wide_units else 8, registers)
