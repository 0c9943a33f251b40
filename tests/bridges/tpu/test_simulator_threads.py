"""The priority of threads that look for work without a pause."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Iterator

import pytest

from lite.bridges.tpu import simulator_threads
from lite.bridges.tpu.simulator_threads import awake, starting

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scheduler's policies are Linux's")


@pytest.fixture
def thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(simulator_threads, "_threads", set())
    ended = threading.Event()
    with starting():
        waiting = threading.Thread(target=ended.wait)
        waiting.start()
    yield waiting.native_id or 0
    ended.set()
    waiting.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users may not leave the idle priority")
def test_threads_are_idle_between_runs(thread: int) -> None:
    assert os.sched_getscheduler(thread) == os.SCHED_IDLE
    with awake():
        assert os.sched_getscheduler(thread) == os.SCHED_OTHER
    assert os.sched_getscheduler(thread) == os.SCHED_IDLE
    assert os.sched_getscheduler(threading.get_native_id()) == os.SCHED_OTHER


def test_threads_that_could_not_wake_are_not_idle(thread: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, 0))
    before = os.sched_getscheduler(thread)
    with awake():
        assert os.sched_getscheduler(thread) == before


def test_an_ended_thread_is_no_error(thread: int) -> None:
    simulator_threads._threads.add(2**22 + 1)
    with awake():
        pass
    assert thread in simulator_threads._threads
