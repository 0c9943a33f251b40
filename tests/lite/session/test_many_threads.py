"""Predictors that are created, cloned and run in many threads at once."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lite
from tests.support.small_programs import affine, affine_reference

THREADS = 8


def at_once(work: Callable[[int], None]) -> list[str]:
    """The errors that `work` raised in any of the threads."""
    start = threading.Barrier(THREADS)
    raised: list[str] = []

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except (lite.LiteError, AssertionError, RuntimeError, LookupError) as error:
            raised.append(repr(error))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def run_often(predictor: lite.Predictor, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        x = rng.standard_normal((rng.integers(0, 9), 4)).astype(np.float32)
        assert np.array_equal(predictor.run([x])["y"], affine_reference(x))


def create_in_threads(folder: str) -> list[str]:
    """Create predictors in several threads, including the first import of kernels."""

    def work(number: int) -> None:
        predictor = lite.create_predictor(lite.Config(folder, threads=1 + number % 2))
        run_often(predictor.clone(), number)

    return at_once(work)


def test_predictors_can_be_created_in_threads(tmp_path: Path) -> None:
    lite.save_program(affine(), tmp_path)
    assert create_in_threads(str(tmp_path)) == []
    code = "import sys; from tests.lite.session.test_many_threads import create_in_threads as create; "
    code += "print(create(sys.argv[1]))"
    root = Path(__file__).resolve().parents[3]
    fresh = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )
    assert (fresh.stdout.strip(), fresh.stderr) == ("[]", "")


def test_clones_can_be_created_in_threads(tmp_path: Path) -> None:
    lite.save_program(affine(), tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path))
    assert at_once(lambda number: run_often(predictor.clone(), number)) == []


def test_a_run_returns_the_results_of_its_own_inputs(tmp_path: Path) -> None:
    """Each of several threads that share a predictor gets its results or an error."""
    lite.save_program(affine(), tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work(number: int) -> None:
        x = np.full((1, 4), number, np.float32)
        for _ in range(200):
            with contextlib.suppress(lite.ExecutionError):  # it is running in another thread
                assert np.array_equal(predictor.run([x])["y"], affine_reference(x))

    try:
        assert at_once(work) == []
    finally:
        sys.setswitchinterval(interval)
