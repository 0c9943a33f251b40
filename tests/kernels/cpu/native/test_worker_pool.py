"""Worker pools run each work item once, whatever the other threads do, and sleep when no run needs them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from lite.kernels.cpu.codes import CLAMPED
from lite.kernels.cpu.native import worker_pool
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.worker_pool import LEAST_COST, WorkerPool, current_pool
from lite.plugin.kernel import Array
from lite.plugin.kernel.run_context import current_precision, current_run, run_context
from lite.runtime.threads import RunThreads

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

activate = Function("rows.activate")
RELU: Array = np.array([1, 0, 0, np.inf, 0], np.float32)


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has pools of its own, as on a machine with four cores."""
    monkeypatch.setattr(worker_pool, "_cores", lambda: 4)
    pools = worker_pool._Pools()
    monkeypatch.setattr(worker_pool, "_pools", pools)
    yield
    pools.stop()


def wrong_elements(threads: int, count: int) -> int:
    """How many of `count` elements a job leaves without their result."""
    x = np.arange(-3, count - 3, dtype=np.float32)
    y = np.full(count, np.nan, np.float32)
    with run_context(threads):
        activate.bind(FREE, FREE, CLAMPED, RELU, count=count, cost=LEAST_COST)(x, y)
    return int((y != np.maximum(x, 0)).sum())


def wait_until_asleep(pool: WorkerPool) -> None:
    deadline = time.monotonic() + 30
    while not all(worker.is_asleep for worker in pool._workers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 9])
def test_each_work_item_runs_once(threads: int) -> None:
    for count in (1, 2, 7, 100, 4099):
        assert wrong_elements(threads, count) == 0


def test_consecutive_jobs_are_all_run() -> None:
    y = np.zeros(64, np.float32)
    job = activate.bind(FREE, FREE, CLAMPED, RELU, count=64, cost=LEAST_COST)
    with run_context(3):
        for number in range(5000):
            job(np.full(64, number, np.float32), y)
            assert (y == number).all(), number


def test_concurrent_runs_give_their_own_results() -> None:
    wrong: list[int] = []

    def work() -> None:
        wrong.append(sum(wrong_elements(3, 1000) for _ in range(200)))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0] * 5


def test_runs_share_the_cores() -> None:
    with run_context(3):
        first = current_pool(LEAST_COST)
        assert first is not None
        assert first.threads == 3
        assert current_pool(LEAST_COST) is first
        pools: list[WorkerPool | None] = []

        def other() -> None:
            for threads in (3, 2):
                with run_context(threads):
                    pools.append(current_pool(LEAST_COST))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert pools[0] is None
        assert isinstance(pools[1], WorkerPool)
        with run_context(3):
            assert current_pool(LEAST_COST) is first
    with run_context(3):
        assert current_pool(LEAST_COST) is first


def test_a_run_inside_another_has_at_most_its_own_threads() -> None:
    with run_context(3):
        outer = current_pool(LEAST_COST)
        with run_context(2):
            inner = current_pool(LEAST_COST)
            assert inner is None or inner.threads <= 2
        assert current_pool(LEAST_COST) is outer


def test_cheap_jobs_and_runs_of_one_thread_have_no_pool() -> None:
    with run_context(2):
        assert current_pool(LEAST_COST - 1) is None
    with run_context(1):
        assert current_pool(LEAST_COST) is None
    assert current_pool(LEAST_COST) is None


def test_a_run_works_alone_where_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert wrong_elements(2, 1000) == 0
    assert worker_pool._pools._all == []


def test_workers_end_with_the_process() -> None:
    assert wrong_elements(2, 1000) == 0
    worker_pool._pools.stop()
    assert wrong_elements(2, 1000) == 0
    (pool,) = worker_pool._pools._all
    assert not any(worker.thread.is_alive() for worker in pool._workers)


def test_workers_sleep_after_a_run_and_wake_for_the_next() -> None:
    for _ in range(3):
        assert wrong_elements(2, 1000) == 0
        (pool,) = worker_pool._pools._all
        wait_until_asleep(pool)


def test_workers_of_a_run_without_jobs_sleep_until_it_has_one() -> None:
    with run_context(2):
        pool = current_pool(LEAST_COST)
        assert isinstance(pool, WorkerPool)
        for _ in range(2):
            wait_until_asleep(pool)
            deadline = time.monotonic() + 30
            before = [int(worker._seen_ticket[0]) for worker in pool._workers]
            while [int(worker._seen_ticket[0]) for worker in pool._workers] == before:
                assert wrong_elements(2, 1000) == 0
                assert time.monotonic() < deadline


def test_threads_and_precision_of_a_run_are_restored_after_it() -> None:
    outer = RunThreads(2, "strict", own_threads=True)

    def inside() -> None:
        assert (current_run().threads, current_precision()) == (2, "strict")
        assert RunThreads(1).call(outer.call, lambda: current_run().threads) == 2
        assert current_run().threads == 2

    outer.call(inside)
    assert (current_run().threads, current_precision()) == (1, "default")
