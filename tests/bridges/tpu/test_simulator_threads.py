"""The priority of threads that look for work without a pause."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> dict[int, set[int]]:
    """The cores of each thread that was pinned; the machine has the cores 2 and 5."""
    pinned: dict[int, set[int]] = {}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5})
    monkeypatch.setattr(os, "sched_setaffinity", pinned.__setitem__)
    monkeypatch.setattr(os, "getpid", lambda: 7)
    monkeypatch.setattr(simulator_threads, "_name", lambda thread: "TPU_BD" if thread == 2**22 + 1 else "")
    return pinned


def test_the_thread_that_computes_has_a_core_to_itself(thread: int, pinned: dict[int, set[int]]) -> None:
    simulator_threads._threads.add(2**22 + 1)
    with awake():
        assert pinned == {2**22 + 1: {5}, thread: {2}, 0: {2}}
    assert pinned[0] == {2, 5}


def test_no_thread_is_pinned_where_each_may_have_a_core(thread: int, pinned: dict[int, set[int]]) -> None:
    with awake():
        assert not pinned
    assert pinned == {0: {2, 5}}


def test_the_name_of_a_thread(thread: int) -> None:
    comm = Path(f"/proc/self/task/{thread}/comm").read_text(encoding="utf-8").strip()
    assert simulator_threads._name(thread) == comm
    assert simulator_threads._name(2**22 + 1) == ""
