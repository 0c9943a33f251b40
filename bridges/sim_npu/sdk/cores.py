"""The cores of the device, each of which one thread has at a time."""

from __future__ import annotations

import threading
from types import TracebackType

from lite.bridges.sim_npu.sdk.fork import renew_after_fork


class Cores:
    """A context manager that waits for a free core; it does not nest.

    A thread that was interrupted before it gave its core back gives it back the next time.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Start with all cores free."""
        self._locks = [threading.RLock() for _ in range(self._count)]

    def __enter__(self) -> None:
        if not any(lock.acquire(blocking=False) for lock in self._locks):
            self._locks[threading.get_ident() % self._count].acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for lock in self._locks:
            while lock._is_owned():  # type: ignore[attr-defined]
                lock.release()
