"""Locks that neither an interrupt nor a fork can leave locked for ever."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import RLock
else:
    RLock = type(threading.RLock())


class NestingLock(RLock):  # type: ignore[misc]  # the stub forbids what CPython allows
    """A lock for ``with`` statements that may nest, which is free in a forked process."""

    def __init__(self) -> None:
        super().__init__()
        _LOCKS.add(self)


class OwnedLock(NestingLock):  # type: ignore[misc]
    """A lock for ``with`` statements that do not nest.

    It is acquired and released by C code, which no KeyboardInterrupt divides.  Python 3.10 may raise one
    between a body and `__exit__`, which leaves any lock locked.  There, this one is free again when its
    thread uses it the next time, as `__exit__` releases it as often as it was acquired.  A forked process
    starts with the lock free.
    """

    if sys.version_info < (3, 11):

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None:
            while self.is_owned:
                self.release()

    @property
    def is_owned(self) -> bool:
        """Whether this thread holds the lock."""
        owned: bool = self._is_owned()  # type: ignore[attr-defined]
        return owned


_LOCKS: weakref.WeakSet[NestingLock] = weakref.WeakSet()


def _free_locks() -> None:
    for lock in list(_LOCKS):
        lock._at_fork_reinit()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_locks)
