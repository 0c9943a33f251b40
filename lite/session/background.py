"""Runs of a predictor in other threads: one after the other, or several at a time for a stream of inputs."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from lite.plugin.kernel.owned_lock import OwnedLock

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

P = TypeVar("P")
T = TypeVar("T")
R = TypeVar("R")


class Background(Generic[P]):
    """Clones of a predictor, each of which makes one run at a time, and a thread for runs in order."""

    def __init__(self) -> None:
        self._lock = OwnedLock()
        self._idle: list[P] = []
        self._queue: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def submit(self, clone: Callable[[], P], run: Callable[[P], R]) -> Future[R]:
        """Call `run` with a clone, after the calls that were submitted before."""

        def work() -> R:
            with self._lock:
                predictor = self._idle.pop() if self._idle else None
            if predictor is None:
                predictor = clone()
            try:
                return run(predictor)
            finally:
                with self._lock:
                    self._idle.append(predictor)

        with self._lock:
            # A forked process has none of the threads.
            if self._queue is None or self._process != os.getpid():
                self._queue = _threads(1)
                self._process = os.getpid()
            return self._queue.submit(work)

    def stream(
        self, clone: Callable[[], P], items: Iterable[T], run: Callable[[P, T], R], depth: int
    ) -> Iterator[R]:
        """What `run` returns for each item, in order; up to `depth` calls go on at once, each on a clone.

        An error of an item, also one of `items`, is raised in place of its result.
        """
        with self._lock:
            kept = [self._idle.pop() for _ in range(min(depth, len(self._idle)))]
        free = deque([*kept, *(clone() for _ in range(depth - len(kept)))])
        threads = _threads(depth)

        def work(item: T) -> R:
            predictor = free.pop()
            try:
                return run(predictor, item)
            finally:
                free.append(predictor)

        try:
            yield from _in_order(iter(items), lambda item: threads.submit(work, item), depth)
        finally:
            threads.shutdown(cancel_futures=True)
            with self._lock:
                self._idle += free


def _in_order(items: Iterator[T], start: Callable[[T], Future[R]], depth: int) -> Iterator[R]:
    """The results of the runs in order; an item is taken when fewer than `depth` runs are unread."""
    unread: deque[Future[R]] = deque()
    error: Exception | None = None
    more = True
    while more or unread:
        while more and len(unread) < depth:
            try:
                item = next(items)
            except StopIteration:
                more = False
            except Exception as raised:
                more, error = False, raised
            else:
                unread.append(start(item))
        if unread:
            yield unread.popleft().result()
    if error is not None:
        raise error


def _threads(count: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and few programs use it

    return ThreadPoolExecutor(count, thread_name_prefix="litebridge")
