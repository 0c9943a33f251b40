"""Guarded jobs compute what plain ones do, and end the process at an access beyond their declared lengths."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Lengths
from tests.kernels.cpu.guarded_job import GuardedJob, guarded_copy

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

X = np.arange(8, dtype=np.float32)


@pytest.fixture(autouse=True)
def _guarded_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guard the jobs of one test."""
    monkeypatch.setattr("lite.kernels.cpu.native.function.Job", GuardedJob)


def scaled(lengths: Lengths | None = None) -> np.ndarray:
    """Two rows of four, times 2 plus 1; with other declared lengths than the function's own."""
    twos, ones, y = np.full(4, 2, np.float32), np.ones(4, np.float32), np.zeros(8, np.float32)
    job = Function("norm.scale_rows", lengths=lengths).bind(FREE, twos, ones, FREE, 4, count=2)
    job(guarded_copy(X), y)
    return y


def test_a_guarded_job_computes_what_a_plain_one_does() -> None:
    np.testing.assert_array_equal(scaled(), 2 * X + 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_reading_beyond_a_declared_length_ends_the_process() -> None:
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        scaled(lambda *_: (7, 4, 4, 8))
        os._exit(0)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGSEGV
