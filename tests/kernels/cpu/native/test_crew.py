"""Workers do every piece once, whoever is busy, and sleep when no run needs them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from lite.kernels.cpu.native import crew as crews
from lite.kernels.cpu.native.crew import LEAST_COST, current_crew
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array
from lite.plugin.kernel.run_context import current_precision, current_work, working_for
from lite.runtime.threads import RunThreads

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

activate = Function("rows.activate")
RELU: Array = np.array([1, 0, 0, np.inf, 0], np.float32)


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Crews of their own, as on a machine with four cores."""
    monkeypatch.setattr(crews, "_cores", lambda: 4)
    own = crews._Crews()
    monkeypatch.setattr(crews, "_crews", own)
    yield
    own.end()


def wrong_elements(threads: int, count: int) -> int:
    x = np.arange(-3, count - 3, dtype=np.float32)
    y = np.full(count, np.nan, np.float32)
    with working_for(threads):
        activate.bind(FREE, FREE, 1, RELU, count=count, cost=LEAST_COST)(x, y)
    return int((y != np.maximum(x, 0)).sum())


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 9])
def test_every_piece_is_done_once(threads: int) -> None:
    for count in (1, 2, 7, 100, 4099):
        assert wrong_elements(threads, count) == 0


def test_many_jobs_behind_each_other() -> None:
    y = np.zeros(64, np.float32)
    job = activate.bind(FREE, FREE, 1, RELU, count=64, cost=LEAST_COST)
    with working_for(3):
        for turn in range(5000):
            job(np.full(64, turn, np.float32), y)
            assert (y == turn).all(), turn


def test_many_runs_at_once() -> None:
    wrong: list[int] = []

    def work() -> None:
        wrong.append(sum(wrong_elements(3, 1000) for _ in range(200)))

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0] * 5


def test_a_run_has_one_crew_and_others_what_is_left() -> None:
    with working_for(3):
        first = current_crew(LEAST_COST)
        assert first is not None
        assert first.threads == 3
        assert current_crew(LEAST_COST) is first
        found: list[object] = []

        def other() -> None:
            for threads in (3, 2):
                with working_for(threads):
                    found.append(current_crew(LEAST_COST))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert found[0] is None
        assert isinstance(found[1], crews.Crew)
        with working_for(3):
            assert current_crew(LEAST_COST) is first
    with working_for(3):
        assert current_crew(LEAST_COST) is first


def test_a_run_inside_another_has_no_more_workers_than_it_has_room_for() -> None:
    with working_for(3):
        outer = current_crew(LEAST_COST)
        with working_for(2):
            inner = current_crew(LEAST_COST)
            assert inner is None or inner.threads <= 2
        assert current_crew(LEAST_COST) is outer


def test_little_work_and_runs_of_one_thread_have_no_crew() -> None:
    with working_for(2):
        assert current_crew(LEAST_COST - 1) is None
    with working_for(1):
        assert current_crew(LEAST_COST) is None
    assert current_crew(LEAST_COST) is None


def test_a_run_goes_on_alone_where_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert wrong_elements(2, 1000) == 0
    assert crews._crews._all == []


def test_nobody_is_hired_when_the_process_ends() -> None:
    assert wrong_elements(2, 1000) == 0
    crews._crews.end()
    assert wrong_elements(2, 1000) == 0
    (crew,) = crews._crews._all
    assert not any(worker.thread.is_alive() for worker in crew._workers)


def test_workers_sleep_behind_a_run_and_wake_again() -> None:
    for _ in range(3):
        assert wrong_elements(2, 1000) == 0
        (crew,) = crews._crews._all
        deadline = time.monotonic() + 30
        while not all(worker.is_asleep for worker in crew._workers):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_workers_of_a_run_without_jobs_sleep_until_there_is_one() -> None:
    with working_for(2):
        crew = current_crew(LEAST_COST)
        assert isinstance(crew, crews.Crew)
        for _ in range(2):
            deadline = time.monotonic() + 30
            while not all(worker.is_asleep for worker in crew._workers):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            before = [int(worker._seen[0]) for worker in crew._workers]
            while [int(worker._seen[0]) for worker in crew._workers] == before:
                assert wrong_elements(2, 1000) == 0
                assert time.monotonic() < deadline


def test_a_run_has_its_threads_and_precision_while_it_lasts() -> None:
    outer = RunThreads(2, "strict", own_threads=True)
    with outer:
        assert (current_work().threads, current_precision()) == (2, "strict")
        with RunThreads(1), outer:
            assert current_work().threads == 2
        assert current_work().threads == 2
    assert (current_work().threads, current_precision()) == (1, "default")
