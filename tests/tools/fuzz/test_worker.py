"""The limits of a worker process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytest.importorskip("onnxruntime", reason="the fuzzer compares with ONNX Runtime")

PROGRAM = """
import signal
from lite.tools.fuzz import worker
worker.GRACE = 1
def calls():
    while True:
        len("")
signal.signal(signal.SIGPROF, worker._raise_timeout)
worker._limit(1, 60)
try:
    {work}
except TimeoutError:
    print("timeout")
"""


def run(work: str) -> tuple[int, str]:
    """The exit status and the output of a process that does some work under a limit of one second."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(work=work)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return process.returncode, process.stdout.strip()


def test_a_slow_graph_is_interrupted() -> None:
    assert run("calls()") == (0, "timeout")


def test_a_call_that_never_returns_ends_the_process() -> None:
    assert run("sum(range(10**15))") == (-signal.SIGXCPU, "")


def test_no_limit_ends_nothing() -> None:
    assert run("worker._limit(0, 0); print(sum(range(10**6)))") == (0, "499999500000")
