"""The threads that help a run: awake without the interpreter's lock while it lasts, asleep otherwise.

A sleeping thread takes some 50 microseconds to wake, on a virtual machine longer than a layer; so the
workers of a run wait for its work in compiled code, and for a little longer than it lasts.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
from array import array
from collections.abc import Callable

import numpy as np

from lite.kernels.cpu.job_slot import ACTIVE, ARGUMENTS, COUNT, FUNCTION, GRAIN, PIECES, SIZE
from lite.kernels.cpu.native.code_store import find_code
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.words import NativeFunction, address_of
from lite.plugin.kernel import Array
from lite.plugin.kernel.run_context import current_work

LEAST_COST = 200_000
"""Multiplications that are worth sharing: some four times what it costs to post a job."""

_PIECES_PER_THREAD = 4
"""A thread that is held up leaves its share of the rest to the others."""

_SHORT, _LONG = 20_000, 2_000_000
"""Turns that a worker waits behind a run, about a millisecond, and for the next job of one."""


class Crew:
    """Some workers and the mailbox that they share with the run that they help, one run at a time."""

    def __init__(self, workers: int) -> None:
        self.threads = workers + 1
        lines = np.zeros(SIZE + 8, np.int64)
        skip = -address_of(lines) // 8 % 8
        self._box: Array = lines[skip : skip + SIZE]
        self._address = address_of(self._box)
        self._post = _native("crew.post")
        self._posted = array("q", [self._address])
        self._workers = [_Worker(self._box, number) for number in range(1, workers + 1)]

    def enter(self) -> None:
        """A run begins."""
        self._box[ACTIVE] = 1
        for worker in self._workers:
            worker.wake()

    def leave(self) -> None:
        """The run is over."""
        self._box[ACTIVE] = 0
        _crews.give_back(self)

    def end(self) -> None:
        """The process is over."""
        self._box[ACTIVE] = -1
        for worker in self._workers:
            worker.wake()
            worker.thread.join(timeout=1)

    def run(self, function: int, words: int, count: int, grain: int) -> None:
        """Do pieces 0 to `count` on all threads, given the addresses of the function and of its words.

        Each thread takes a multiple of `grain` pieces at a time.
        """
        for worker in self._workers:
            # A run that had no job for long, or was interrupted so that its end was lost.
            if worker.is_asleep:
                worker.wake()
        box = self._box
        box[FUNCTION], box[ARGUMENTS] = function, words
        box[COUNT], box[GRAIN] = count, grain
        box[PIECES] = min(-(-count // grain), self.threads * _PIECES_PER_THREAD)
        self._post(self._posted.buffer_info()[0], 0, 0, 1)


class _Worker:
    """A thread that serves a mailbox."""

    def __init__(self, box: Array, number: int) -> None:
        self._box = box
        self._seen = np.zeros(1, np.int64)
        words = array("q", [address_of(box), address_of(self._seen), number, _SHORT, _LONG])
        self._serve = functools.partial(_native("crew.serve"), words.buffer_info()[0], 0, 0, 1)
        self._words = words
        self._lock = threading.Lock()
        self.is_asleep = self._is_wanted = False
        self._wake = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._work, name=f"litebridge-{number}", daemon=True)
        self.thread.start()

    def wake(self) -> None:
        """See to it that the thread looks into its mailbox."""
        with self._lock:
            self._is_wanted = True
            if self.is_asleep:
                self.is_asleep = False
                self._wake.release()

    def _work(self) -> None:
        while True:
            # First, as who wakes a worker has written to its mailbox before.
            self._is_wanted = False
            if self._box[ACTIVE] < 0:
                return
            self._serve()
            with self._lock:
                is_asleep = self.is_asleep = not self._is_wanted
            if is_asleep:
                self._wake.acquire()


class _Crews:
    """All crews of the process; those at work have no more workers than there are cores to spare."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Crew] = []
        self._all: list[Crew] = []
        self._is_over = False

    def hire(self, threads: int) -> Crew | None:
        """A crew for a run of so many threads; None where no core is left for it, or no thread can start."""
        workers = min(threads, _cores()) - 1
        with self._lock:
            if self._is_over:
                return None
            fitting = [crew for crew in self._free if crew.threads == workers + 1]
            if fitting:
                crew = fitting[-1]
                self._free.remove(crew)
            elif workers < 1 or self._busy() + workers > _cores() - 1:
                return None
            else:
                try:
                    crew = Crew(workers)
                except RuntimeError:
                    # As many threads as the system allows: the run goes on alone.
                    return None
                self._all.append(crew)
        crew.enter()
        return crew

    def give_back(self, crew: Crew) -> None:
        """A crew has no run any more."""
        with self._lock:
            self._free.append(crew)

    def end(self) -> None:
        """End all workers; what still runs goes on alone."""
        self._is_over = True
        for crew in self._all:
            crew.end()

    def _busy(self) -> int:
        return sum(crew.threads - 1 for crew in self._all if crew not in self._free)


def current_crew(cost: float) -> Crew | None:
    """The crew for a job of this run; None where this thread does it alone."""
    work = current_work()
    if work.threads < 2 or cost < LEAST_COST:
        return None
    if work.crew is None:
        work.crew = _crews.hire(work.threads)
    crew = work.crew
    # A run inside another may have room for fewer threads than help that one.
    return crew if isinstance(crew, Crew) and crew.threads <= work.threads else None


@functools.cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _native(name: str) -> Callable[[int, int, int, int], None]:
    function: Callable[[int, int, int, int], None] = NativeFunction(load(find_code(name)))
    return function


_crews = _Crews()


def _renew() -> None:
    # Threads do not survive a fork.
    global _crews
    _crews = _Crews()


atexit.register(lambda: _crews.end())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
