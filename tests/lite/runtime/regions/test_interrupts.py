"""A KeyboardInterrupt at any line of a region's work is followed by right runs, on all clones and threads."""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.ir.types import Array
from lite.plugin.kernel.owned_lock import NestingLock, OwnedLock
from lite.runtime.regions.single_flight import SingleFlight
from tests.support.interrupts import Line, interrupted, lines_of
from tests.support.small_convnet import convnet

FILES = ("engine", "bound", "single_flight", "step", "plan_state", "warn_once", "executor", "bound_segments")
"""The files whose lines are all tried; of others, every twenty-fifth."""


@pytest.fixture
def x() -> Array:
    return np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)


def make(**fields: Any) -> lite.Predictor:
    config = lite.Config(
        model_buffer=b"in memory", devices=["sim_npu"], valid_places=["host"], min_subgraph_ops=1, **fields
    )
    return lite.Predictor.of_program(convnet(), config)


def chosen(lines: list[Line]) -> list[Line]:
    return [line for n, line in enumerate(lines) if n % 25 == 0 or Path(line[0]).stem in FILES]


def in_thread(function: Callable[[], None]) -> None:
    """Call a function in another thread, which must not wait for ever for a lock of this one."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)
            raise

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("device_memory", [False, True])
def test_a_run_on_a_device_that_is_interrupted_at_any_line_is_followed_by_a_right_one(
    x: Array, device_memory: bool
) -> None:
    fields: dict[str, Any] = {"devices": ["sim_npu{memory=true}"]} if device_memory else {}
    config = lite.Config(
        model_buffer=b"in memory", **{"devices": ["sim_npu"], "valid_places": ["host"], **fields}
    )
    predictor = lite.Predictor.of_program(convnet(), config)
    expected = predictor.run({"x": x})["y"].copy()
    run = functools.partial(predictor.run, {"x": x})
    lines = chosen(lines_of(run))
    assert len(lines) > 60
    for line in lines:
        interrupted(run, line)
        np.testing.assert_array_equal(run()["y"], expected, err_msg=str(line))
        assert {region["state"] for region in predictor.report().to_dict()["regions"]} <= {"built"}


@pytest.mark.slow
def test_a_first_run_on_a_device_that_is_interrupted_at_any_line_is_followed_by_a_right_one(
    x: Array,
) -> None:
    expected = make().run({"x": x})["y"].copy()
    lines = chosen(lines_of(lambda: make().run({"x": x})))
    assert {Path(name).stem for name, _ in lines} >= {"engine", "single_flight", "plan_state"}
    tried = 0
    for line in lines:
        predictor = make()
        if not interrupted(lambda: predictor.run({"x": x}), line):  # noqa: B023 - called at once
            continue
        tried += 1
        np.testing.assert_array_equal(predictor.run({"x": x})["y"], expected, err_msg=str(line))

        def clone(twin: lite.Predictor = predictor.clone()) -> None:  # noqa: B008
            np.testing.assert_array_equal(twin.run({"x": x})["y"], expected)

        in_thread(clone)
    assert tried > 50


def test_an_interrupt_at_any_line_leaves_a_value_to_the_next_call() -> None:
    def work(flight: SingleFlight[int]) -> int:
        return flight.get("key", lambda: 5)

    for line in lines_of(lambda: work(SingleFlight())):
        flight: SingleFlight[int] = SingleFlight()
        interrupted(lambda: work(flight), line)  # noqa: B023 - called at once
        assert work(flight) == 5, line
        in_thread(lambda: None if work(flight) == 5 else pytest.fail("wrong"))  # noqa: B023
        assert flight.done == [5]


def test_an_interrupt_at_any_line_leaves_an_error_to_the_next_call() -> None:
    def fail() -> int:
        raise CompileError("no")

    def work(flight: SingleFlight[int]) -> None:
        with pytest.raises(CompileError, match="no"):
            flight.get("key", fail)

    for line in lines_of(lambda: work(SingleFlight())):
        flight: SingleFlight[int] = SingleFlight()
        interrupted(lambda: work(flight), line)  # noqa: B023 - called at once
        work(flight)
        assert flight.done == []


def test_an_interrupted_signature_counts_once(x: Array) -> None:
    predictor = make(max_signatures=1)
    lines = lines_of(lambda: make(max_signatures=1).run({"x": x}))
    for line in [each for each in lines if each[0].endswith("engine.py")]:
        interrupted(lambda: predictor.run({"x": x}), line)
    predictor.run({"x": x})
    assert {region["state"] for region in predictor.report().to_dict()["regions"]} == {"built"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", [OwnedLock, NestingLock])
def test_a_lock_of_another_thread_is_free_after_a_fork(kind: type[NestingLock]) -> None:
    lock = kind()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        with lock:
            os._exit(0)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_runs_leaves_a_predictor_that_works(x: Array) -> None:
    predictor = make()
    expected = predictor.run({"x": x})["y"].copy()
    stop = threading.Event()

    def work(twin: lite.Predictor) -> None:
        size = 8
        while not stop.is_set():
            # New shapes too, so that forks meet threads that compile.
            size = 8 + (size - 7) % 3
            twin.run({"x": np.ones((1, 3, size, 8), np.float32)})

    threads = [threading.Thread(target=work, args=[predictor.clone()]) for _ in range(2)]
    for thread in threads:
        thread.start()
    statuses = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            twin = predictor.clone()
            same = [np.array_equal(each.run({"x": x})["y"], expected) for each in (predictor, twin)]
            shapes = [twin.run({"x": np.ones((1, 3, n, 8), np.float32)})["y"].shape for n in (9, 10, 11)]
            os._exit(0 if all(same) and shapes == [(1, 5)] * 3 else 1)
        statuses.append(os.waitpid(child, 0)[1])
    stop.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 10
