"""The threads that help runs: one pool for the whole process, asleep while nobody shares work."""

from __future__ import annotations

import itertools
import os
import threading
from queue import SimpleQueue

from lite.plugin.share import Part

_PIECES_PER_THREAD = 4
"""A thread that is held up leaves its share of the rest to the others."""


class WorkerPool:
    """Workers that are started when they are first needed and live as long as the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._workers = 0

    def run(self, threads: int, count: int, part: Part) -> None:
        """Do ``range(count)`` in pieces, on this thread and up to ``threads - 1`` workers.

        Workers that are busy with another run's work are not waited for.  What a piece raises is raised
        here, when no piece is running any more.
        """
        job = _Job(count, min(count, threads * _PIECES_PER_THREAD), part)
        self._start(threads - 1)
        for _ in range(min(threads, job.pieces) - 1):
            self._jobs.put(job)
        job.work()
        job.wait()

    def _start(self, workers: int) -> None:
        if self._workers >= workers:
            return
        with self._lock:
            while self._workers < workers:
                self._workers += 1
                name = f"litebridge-{self._workers}"
                threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._jobs.get().work()


class _Job:
    """Pieces of a range; each is claimed by whoever comes first."""

    def __init__(self, count: int, pieces: int, part: Part) -> None:
        self.count = count
        self.pieces = pieces
        self._part = part
        self._claims = itertools.count()
        self._left = pieces
        self._lock = threading.Lock()
        self._done = threading.Lock()
        self._done.acquire()
        self._error: BaseException | None = None

    def work(self) -> None:
        """Do pieces until all are claimed."""
        while (piece := next(self._claims)) < self.pieces:
            try:
                if self._error is None:
                    self._part(piece * self.count // self.pieces, (piece + 1) * self.count // self.pieces)
            except Exception as error:  # noqa: BLE001  # raised again in the thread that shares the work
                self._error = error
            with self._lock:
                self._left -= 1
                if not self._left:
                    self._done.release()

    def wait(self) -> None:
        """Until all pieces are done; raises what one of them raised."""
        self._done.acquire()
        if self._error is not None:
            raise self._error


_pools = [WorkerPool()]


def pool() -> WorkerPool:
    """The pool of this process."""
    return _pools[0]


def _renew() -> None:
    # Threads do not survive a fork.
    _pools[0] = WorkerPool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
