"""Runs Vela, which prints to its standard output and may end its process, in a process of its own."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.errors import CompileError

ACCELERATORS = (
    *("ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256", "ethos-u65-256", "ethos-u65-512"),
    *("ethos-u85-128", "ethos-u85-256", "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"),
)

_LONGEST = 600
"""Seconds after which a compilation is given up."""

_PLACED = re.compile(r"^(CPU|NPU) operators = (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Compilation:
    """Vela's model, its report as text, the numbers of its summary, and the operators on NPU and CPU."""

    model: bytes
    report: str
    summary: Mapping[str, str]
    on_npu: int
    on_cpu: int


def is_installed() -> bool:
    """Whether the package ethos-u-vela is there; it is not imported."""
    try:
        return importlib.util.find_spec("ethosu.vela") is not None
    except ImportError:
        return False


def compile_tflite(model: bytes, arguments: Sequence[str]) -> Compilation:
    """Vela's compilation of a model; raises `CompileError` with the last lines that it printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "region.tflite"
        path.write_bytes(model)
        command = [sys.executable, "-m", "ethosu.vela", str(path), "--output-dir", folder, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
        except subprocess.TimeoutExpired as error:
            raise CompileError(f"ethos_u: Vela did not end within {_LONGEST} seconds") from error
        result = Path(folder) / "region_vela.tflite"
        if done.returncode or not result.is_file():
            last = " ".join((done.stderr or done.stdout).split())[-500:]
            raise CompileError(f"ethos_u: Vela ended with status {done.returncode}: {last}")
        placed = dict(_PLACED.findall(done.stdout))
        return Compilation(
            result.read_bytes(),
            _without_paths(done.stdout, folder),
            _summary(Path(folder)),
            int(placed.get("NPU", 0)),
            int(placed.get("CPU", 0)),
        )


def cpu_reasons(report: str) -> str:
    """What Vela says about the operators that it leaves to the CPU, in one line."""
    found = re.findall(r"Warning \(supported operators\) operator: (\w+).*?\nReason: (.*)", report)
    return "; ".join(f"{operator}: {reason}" for operator, reason in found)


def _summary(folder: Path) -> dict[str, str]:
    """The only row of the file with cycles and memory; empty where Vela wrote none."""
    for path in sorted(folder.glob("*_summary_*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            return dict(next(csv.DictReader(file), {}))
    return {}


def _without_paths(report: str, folder: str) -> str:
    return report.replace(folder, "")
