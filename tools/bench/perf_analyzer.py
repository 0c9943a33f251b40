"""Load by NVIDIA's perf_analyzer, a program in C++ that asks servers of the Open Inference Protocol.

Its binary, in the package perf-analyzer of PyPI, needs glibc 2.38 or later; an older system runs it in a
folder with a newer one: ``--perf-analyzer "chroot FOLDER perf_analyzer"``.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence

import click

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Load:
    """Requests per second, and percentiles of the latency in milliseconds."""

    throughput: float
    p50: float
    p99: float


def load(
    command: str, model: str, port: int, protocol: str, name: str, shape: Sequence[int], count: int
) -> Load:
    """Ask `model` for random inputs, `count` at a time, until the latency is stable within a tenth.

    command: how to call perf_analyzer; protocol: ``http`` or ``grpc``.  Raises `ClickException` if it fails.
    """
    arguments = [
        *shlex.split(command), "-m", model, "-u", f"localhost:{port}", "-i", protocol,
        "--shape", f"{name}:{','.join(map(str, shape))}", "--concurrency-range", str(count),
        "--measurement-interval", "2000", "--stability-percentage", "10",
    ]  # fmt: skip
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    found = [re.search(pattern, ended.stdout) for pattern in _FIGURES]
    if ended.returncode or None in found:
        raise click.ClickException(f"{shlex.join(arguments)}: {(ended.stdout + ended.stderr)[-2000:]}")
    throughput, p50, p99 = (float(match[1]) for match in found if match is not None)
    return Load(throughput, p50 / 1e3, p99 / 1e3)


_FIGURES = (
    r"Throughput: ([\d.]+) infer/sec",
    r"p50 latency: (\d+) usec",
    r"p99 latency: (\d+) usec",
)
