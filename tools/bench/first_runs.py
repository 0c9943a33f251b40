"""Times whole processes up to the first result of a network; writes docs/benchmarks/first_runs.md.

python -m lite.tools.bench.first_runs NETWORKS --out docs/benchmarks/first_runs.md

A process imports numpy, reads the inputs, loads the model from its ONNX file, runs it once and ends.  Kernels
are compiled before.  Networks are folders as for `lite.tools.bench.zoo`.  Needs Linux.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from lite.dataclass import dataclass
from lite.tools.bench.peers.row import geomean
from lite.tools.bench.processor import processor
from lite.tools.options.output import page_option, print_or_write

_READ = """
import sys
import numpy as np
folder = sys.argv[1]
with np.load(folder + "/reference.npz") as arrays:
    feeds = {name[3:]: arrays[name] for name in arrays.files if name.startswith("in.")}
"""

_LITEBRIDGE = (
    _READ
    + """
import lite
config = lite.Config(folder + "/model.onnx", threads=1, compilation=sys.argv[2])
lite.create_predictor(config).run(feeds)
"""
)

_ONNX_RUNTIME = (
    _READ
    + """
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.log_severity_level = 3
session = onnxruntime.InferenceSession(folder + "/model.onnx", options, providers=["CPUExecutionProvider"])
session.run(None, feeds)
"""
)

_PEAK = """
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""
"""Prints the KiB of memory; `wait4` may return those of the parent, from before the program began."""


@dataclass(frozen=True)
class Process:
    """What a process took: milliseconds of CPU time, and MiB of memory at most."""

    milliseconds: float
    memory: float


@dataclass(frozen=True)
class Row:
    """A network: the least of several processes that only read, and of those of both engines."""

    name: str
    reading: Process
    ours: Process
    peer: Process

    @property
    def ratio(self) -> float:
        """Of our CPU time to the peer's."""
        return self.ours.milliseconds / self.peer.milliseconds

    @property
    def memory_ratio(self) -> float:
        """Of our memory to the peer's."""
        return self.ours.memory / self.peer.memory


def measure(folder: Path, processes: int) -> Row:
    """Run so many processes of each kind, which take turns."""
    run_process(_LITEBRIDGE, folder, "wait")
    programs = (_READ, _LITEBRIDGE, _ONNX_RUNTIME)
    turns = [[run_process(program, folder, "auto") for program in programs] for _ in range(processes)]
    return Row(folder.name, *map(_least, zip(*turns, strict=True)))


def run_process(program: str, folder: Path, compilation: str) -> Process:
    """Run a program of Python on a folder; raises `CalledProcessError` where it fails."""
    command = [sys.executable, "-c", program + _PEAK, str(folder), compilation]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        printed = process.stdout.read() if process.stdout is not None else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Process(1e3 * (usage.ru_utime + usage.ru_stime), int(printed) / 1024)


def _least(processes: Sequence[Process]) -> Process:
    return Process(min(each.milliseconds for each in processes), min(each.memory for each in processes))


def page(rows: Sequence[Row], processes: int) -> str:
    """The page in Markdown."""
    from lite.tools.bench.sweep.measure import PEERS

    version = next(peer.version() for peer in PEERS if peer.name == "ONNX Runtime")
    lines = [
        "# First results of networks",
        "",
        f"{processor()}, Python {platform.python_version()}, numpy {np.__version__}, ONNX Runtime {version},",
        f"one thread; the least CPU time in milliseconds of {processes} whole processes that take turns. A",
        "process imports numpy, reads the inputs, loads the ONNX file, runs it once and ends; `reading` does",
        "the first two alone. Compiled kernels are present. Memory is the most of a process, as a ratio.",
        "Written by `python -m lite.tools.bench.first_runs NETWORKS --out docs/benchmarks/first_runs.md`.",
        "",
        "| network | reading | litebridge | ONNX Runtime | ratio | memory |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        times = (row.reading, row.ours, row.peer)
        cells = " | ".join(f"{each.milliseconds:.0f}" for each in times)
        lines.append(f"| {row.name} | {cells} | {row.ratio:.2f} | {row.memory_ratio:.2f} |")
    means = (geomean([row.ratio for row in rows]), geomean([row.memory_ratio for row in rows]))
    lines.append(f"| all | | | | {means[0]:.2f} | {means[1]:.2f} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--processes", type=click.IntRange(min=1), default=3, show_default=True, help="Of each engine.")
@click.option("--only", default="", help="Only the networks whose name contains this text.")
@page_option
def main(folder: Path, processes: int, only: str, out: Path | None) -> None:
    """Compare whole processes with ONNX Runtime's, from their start to the first result of a network.

    \b
    Examples:
      python -m lite.tools.bench.first_runs networks --only bert
      python -m lite.tools.bench.first_runs networks --out docs/benchmarks/first_runs.md
    """
    rows: list[Row] = []
    found = sorted(path.parent for path in folder.glob("*/meta.json") if only in path.parent.name)
    for number, path in enumerate(found, 1):
        row = measure(path, processes)
        rows.append(row)
        times = f"{row.ours.milliseconds:.0f} and {row.peer.milliseconds:.0f} ms"
        click.echo(f"[{number}/{len(found)}] {row.ratio:.2f} {row.name}: {times}", err=True)
    if not rows:
        raise click.ClickException(f"{folder}: no network whose name contains {only!r}; see --help")
    print_or_write(page(rows, processes), out)


if __name__ == "__main__":
    main()
