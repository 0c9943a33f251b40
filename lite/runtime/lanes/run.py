"""LaneRun: one run of the lanes of a segment."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lite.errors import LiteError
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.runtime.segment import Lane, Task

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

MAX_THREADS = 10_000
"""More threads than lanes that ever run at once: other lanes could wait for ever for one without a thread."""


class LaneRun:
    """Runs lanes once, the first one in the calling thread.

    After a task failed, only tasks that precede it in the plan start.  So the first error in the order of the
    plan is raised, as if the tasks ran one after the other.  `execute` runs a task; it raises `LiteError`.
    """

    def __init__(self, lanes: Sequence[Lane], execute: Callable[[Task], None]) -> None:
        self._lanes = lanes
        self._execute = execute
        self._changed = threading.Condition(OwnedLock())
        self._done = [0] * len(lanes)
        self._stop = sys.maxsize
        """Only tasks with a position below this one start."""
        self._failed: dict[int, int] = {}
        """The position of the task that failed, by lane."""
        self._working = 0
        self._open = len(lanes) - 1
        """Lanes in other threads that have not ended."""
        self._process = os.getpid()

    def run(self) -> None:
        """Run all tasks; raises the error of the first one that failed.

        An interrupt ends the run after the tasks that were running.
        """
        finished = False
        errors: dict[int, BaseException | None] = {}
        try:
            futures = [_threads().submit(self._work_beside, n) for n in range(1, len(self._lanes))]
            try:
                self._work(0)
            except LiteError as error:
                errors[0] = error
            with self._changed:
                while self._open:
                    self._changed.wait()
            finished = True
        finally:
            if not finished:
                self.stop()
        if self._failed:
            lane = min(self._failed, key=lambda each: self._failed[each])
            raise errors.get(lane) or _error(futures[lane - 1])

    def stop(self) -> None:
        """Start no more tasks, and wait for those that run; may be called again after an interrupt."""
        if os.getpid() != self._process:
            return  # a forked process has none of the threads
        with self._changed:
            self._stop = -1
            self._changed.notify_all()
            while self._working:
                self._changed.wait()

    def _work_beside(self, lane: int) -> None:
        """Run a lane in a thread of the pool."""
        with self._changed:
            if self._stop < 0:
                return
            self._working += 1
        try:
            self._work(lane)
        finally:
            with self._changed:
                self._working -= 1
                self._open -= 1
                self._changed.notify_all()

    def _work(self, lane: int) -> None:
        for task in self._lanes[lane]:
            if not self._may_start(task):
                return
            finished = False
            try:
                self._execute(task)
                finished = True
            finally:
                with self._changed:
                    self._done[lane] += finished
                    if not finished:
                        self._failed[lane] = task.position
                        self._stop = min(self._stop, task.position)
                    self._changed.notify_all()

    def _may_start(self, task: Task) -> bool:
        """Wait for the tasks that a task depends on; False if it must not start any more."""
        with self._changed:
            while task.position < self._stop:
                if all(self._done[lane] >= count for lane, count in task.waits):
                    return True
                self._changed.wait()
        return False


def _error(future: Future[None]) -> BaseException:
    error = future.exception()
    assert error is not None, "the lane failed"
    return error


_lock = OwnedLock()
_pools: dict[int, ThreadPoolExecutor] = {}
"""The pool of this process, by process identifier: a forked process has none of its parent's threads."""


def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and few plans have lanes

    with _lock:
        process = os.getpid()
        if process not in _pools:
            _pools.clear()
            _pools[process] = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="litebridge-lane")
        return _pools[process]
