"""Worker pools: threads that share the work items of a run's jobs with the thread that runs the model.

Design
------
A sleeping thread takes about 50 microseconds to wake, on a virtual machine longer than a layer takes.  So the
workers of a run spin in compiled code, without the interpreter's lock, while the run lasts and about a
millisecond longer.  Then they sleep on a semaphore.

*Pools.*  A run that has work worth sharing acquires a pool and keeps it until it ends.  The pools in use
never have more workers than the machine has cores to spare, so that no worker spins while another one waits
for a core.  A run that gets no pool works alone.  A forked process starts without pools.

*Job slot.*  Each pool has one: an ``int64`` vector in which every word has a cache line to itself.

``TICKET``                The number of jobs that were posted.
``GATE``                  The number of workers inside the job, plus `OPEN` while more workers may enter.
``CLAIM``                 The number of work items that were taken.
``ACTIVE``                1 while a run has the pool, 0 between runs, -1 when the workers shall end.
``FUNCTION, ARGUMENTS``   The addresses of the compiled function and of its packed arguments.
``COUNT, GRAIN, ITEMS``   The range 0 to `COUNT` is cut into `ITEMS` work items of multiples of `GRAIN`.

*States of a job* (`compiled.worker_pool` has the code):

1. Written.  The run's thread writes the last five words, and 0 to `CLAIM`.  No worker reads them, as the gate
   is closed and no worker is inside.
2. Open.  The run's thread adds `OPEN` to the gate and 1 to the ticket, and starts to take work items itself.
   A worker that sees a new ticket adds 1 to the gate.  If the gate was open, it takes work items, each by an
   atomic addition to `CLAIM`, until all are taken.  In either case it then subtracts 1 from the gate.
3. Closing.  When all items are taken, the run's thread subtracts `OPEN` from the gate.  A worker that arrives
   now finds the gate closed and does not touch the job.
4. Done.  The gate is 0, so all workers have left.  The run's thread returns and may write the next job.

A worker that comes late may enter the next job by the old ticket.  It works on that job as usual; the new
ticket then leads it to the gate a second time, where it finds no work.

*Memory order.*  Additions are sequentially consistent, reads of `TICKET`, `GATE` and `ACTIVE` in loops are
acquiring, all other accesses are plain.  The addition that opens the gate follows the plain writes of the
job.  A worker reads the job only after its own addition found the gate open, that is, after it read a value
that follows the opening one; so the job is visible to it.  Likewise the results of a worker are visible to
the run's thread, which returns only after it read a value that follows the worker's last addition.  The
ticket orders nothing: it only tells workers when to try the gate.

*Sleep and wake-up.*  The run's thread first writes to the job slot and then calls `_Worker.wake`.  A worker
clears `_is_needed` before it looks into the slot, and sleeps only if no call of `wake` has set the flag
since; the flag is set and tested under one lock.  So no wake-up is lost.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
from array import array
from collections.abc import Callable

import numpy as np

from lite.cores import usable_cores
from lite.kernels.cpu.native.code_store import find_code
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.packed_arguments import NativeFunction, address_of
from lite.plugin.kernel import Array
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.kernel.run_context import RunContext, current_run

TICKET, GATE, CLAIM, ACTIVE, FUNCTION, ARGUMENTS, COUNT, GRAIN, ITEMS = range(0, 72, 8)
"""The indices of the words of a job slot."""

SLOT_SIZE = 72
"""Elements of a job slot."""

OPEN = 1 << 32

LEAST_COST = 200_000
"""Multiplications that are worth sharing: about four times the cost of posting a job."""

ITEMS_PER_THREAD = 4
"""More than one, so that the other threads take over the items of one that is delayed."""

_SHORT, _LONG = 20_000, 2_000_000
"""How often a worker looks for a job before it sleeps: after a run, for about a millisecond, and in one."""


class WorkerPool:
    """Some workers and the job slot that they share with one run at a time."""

    def __init__(self, workers: int) -> None:
        self.threads = workers + 1
        memory = np.zeros(SLOT_SIZE + 8, np.int64)
        skipped = -address_of(memory) // 8 % 8
        self._slot: Array = memory[skipped : skipped + SLOT_SIZE]
        self.slot_address = address_of(self._slot)
        self._post = native("worker_pool.post")
        self._post_arguments = array("q", [self.slot_address])
        self._workers = [_Worker(self._slot, number) for number in range(1, workers + 1)]

    def start_run(self) -> None:
        """A run acquired the pool."""
        self._slot[ACTIVE] = 1
        for worker in self._workers:
            worker.wake()

    def release(self) -> None:
        """The run is over."""
        self._slot[ACTIVE] = 0
        _pools.release(self)  # may be repeated

    def stop(self) -> None:
        """The process ends: wait for the workers, but not for one that is stuck."""
        self._slot[ACTIVE] = -1
        for worker in self._workers:
            worker.wake()
            worker.thread.join(timeout=1)

    def wake(self) -> None:
        """Wake the workers that are asleep."""
        for worker in self._workers:
            # Asleep after a long time without a job, or where an interrupt lost the end of the run before.
            if worker.is_asleep:
                worker.wake()

    def run(self, function: int, arguments: int, count: int, grain: int) -> None:
        """Run a function over the range 0 to `count` on all threads; each takes multiples of `grain`.

        `function` and `arguments` are the addresses of the compiled function and of its packed arguments.
        """
        self.wake()
        slot = self._slot
        slot[FUNCTION], slot[ARGUMENTS] = function, arguments
        slot[COUNT], slot[GRAIN] = count, grain
        slot[ITEMS] = min(-(-count // grain), self.threads * ITEMS_PER_THREAD)
        self._post(self._post_arguments.buffer_info()[0], 0, 0, 1)


class _Worker:
    """A thread that serves a job slot."""

    def __init__(self, slot: Array, number: int) -> None:
        self._slot = slot
        self._seen_ticket = np.zeros(1, np.int64)
        self._arguments = array("q", [address_of(slot), address_of(self._seen_ticket), number, _SHORT, _LONG])
        address = self._arguments.buffer_info()[0]
        self._serve = functools.partial(native("worker_pool.serve"), address, 0, 0, 1)
        self._lock = OwnedLock()
        self.is_asleep = self._is_needed = False
        self._semaphore = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._work, name=f"litebridge-{number}", daemon=True)
        self.thread.start()

    def wake(self) -> None:
        """Make the thread look into the job slot, which the caller has written before."""
        with self._lock:
            self._is_needed = True
            if self.is_asleep:
                # In this order: an interrupt in between wakes the thread once more than needed.
                self._semaphore.release()
                self.is_asleep = False

    def _work(self) -> None:
        while True:
            self._is_needed = False
            if self._slot[ACTIVE] < 0:
                return
            self._serve()
            with self._lock:
                is_asleep = self.is_asleep = not self._is_needed
            if is_asleep:
                self._semaphore.acquire()


class _Pools:
    """All pools of the process."""

    def __init__(self) -> None:
        self._lock = OwnedLock()
        self._free: list[WorkerPool] = []
        self._all: list[WorkerPool] = []
        self._is_stopped = False

    def acquire(self, run: RunContext) -> None:
        """Give a run a pool to its end; none where no core or thread is left for each worker."""
        workers = min(run.threads, _cores()) - 1
        with self._lock:
            if self._is_stopped:
                return
            fitting = [pool for pool in self._free if pool.threads == workers + 1]
            if fitting:
                pool = fitting[-1]
            elif workers < 1 or self._busy_workers() + workers > _cores() - 1:
                return
            else:
                try:
                    pool = WorkerPool(workers)
                except RuntimeError:
                    # The system allows no more threads.
                    return
                self._free.append(pool)
                self._all.append(pool)
            # The run has the pool before it counts as busy: after an interrupt, the run's end releases it.
            run.pool = pool
            self._free.remove(pool)
        pool.start_run()

    def release(self, pool: WorkerPool) -> None:
        """A run no longer needs the pool."""
        with self._lock:
            # A pool from before a fork has no threads any more.
            if pool in self._all and pool not in self._free:
                self._free.append(pool)

    def stop(self) -> None:
        """End all workers; runs that have not ended work alone."""
        self._is_stopped = True
        for pool in self._all:
            pool.stop()

    def _busy_workers(self) -> int:
        return sum(pool.threads - 1 for pool in self._all if pool not in self._free)


def current_pool(cost: float) -> WorkerPool | None:
    """The pool for a job of the current run; None where the calling thread does the job alone."""
    run = current_run()
    if run.threads < 2 or cost < LEAST_COST:
        return None
    if run.pool is None:
        _pools.acquire(run)
    pool = run.pool
    # A run inside another one has its pool, but perhaps fewer threads.
    return pool if isinstance(pool, WorkerPool) and pool.threads <= run.threads else None


_cores = functools.cache(usable_cores)


@functools.cache
def native(name: str) -> Callable[..., None]:
    """A compiled function as Python calls it: ``(arguments, worker, begin, end)``."""
    return NativeFunction(load(find_code(name)))


_pools = _Pools()


def _forget_pools() -> None:
    global _pools
    _pools = _Pools()


atexit.register(lambda: _pools.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
