"""Workers do every piece once, whoever is busy, and hand errors back."""

from __future__ import annotations

import threading

import pytest

from lite.plugin.share import LEAST_COST, current_precision, share, working_for
from lite.runtime.threads import RunThreads
from lite.runtime.worker_pool import WorkerPool


def test_every_number_is_done_once() -> None:
    pool = WorkerPool()
    for threads in (1, 2, 5):
        for count in (1, 2, 7, 100):
            done: list[int] = []
            pool.run(threads, count, lambda begin, end, done=done: done.extend(range(begin, end)))  # type: ignore[misc]
            assert sorted(done) == list(range(count))


def test_two_threads_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=30)

    def part(_begin: int, _end: int) -> None:
        meeting.wait()

    WorkerPool().run(2, 2, part)


def test_an_error_comes_back_when_nothing_is_running() -> None:
    def part(begin: int, end: int) -> None:
        raise ArithmeticError(f"{begin} to {end}")

    pool = WorkerPool()
    with pytest.raises(ArithmeticError):
        pool.run(3, 10, part)
    done: list[int] = []
    pool.run(3, 4, lambda begin, end: done.extend(range(begin, end)))
    assert sorted(done) == [0, 1, 2, 3]


def test_many_runs_share_the_workers() -> None:
    pool = WorkerPool()
    wrong: list[int] = []

    def once() -> None:
        done: list[int] = []
        pool.run(2, 8, lambda begin, end: done.extend(range(begin, end)))
        if sorted(done) != list(range(8)):
            wrong.append(1)

    def work() -> None:
        for _ in range(50):
            once()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_little_work_stays_on_its_thread() -> None:
    seen: list[tuple[int, int]] = []
    with working_for(lambda count, part: part(-1, count)):
        share(10, LEAST_COST - 1, lambda begin, end: seen.append((begin, end)))
        share(10, LEAST_COST, lambda begin, end: seen.append((begin, end)))
        share(1, LEAST_COST, lambda begin, end: seen.append((begin, end)))
    share(10, LEAST_COST, lambda begin, end: seen.append((begin, end)))
    assert seen == [(0, 10), (-1, 10), (0, 1), (0, 10)]


def test_a_run_has_its_threads_and_precision_while_it_lasts() -> None:
    names: set[str] = set()
    meeting = threading.Barrier(2, timeout=30)

    def part(_begin: int, _end: int) -> None:
        meeting.wait()
        names.add(threading.current_thread().name)

    before = current_precision()
    outer, inner = RunThreads(2, "strict", own_pool=True), RunThreads(1, own_pool=True)
    with outer:
        assert current_precision() == "strict"
        share(2, LEAST_COST, part)
        with inner, outer:
            assert current_precision() == "strict"
        assert current_precision() == "strict"
    assert (len(names), current_precision()) == (2, before)
