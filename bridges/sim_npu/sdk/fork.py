"""Locks in a forked process, where the threads that held them do not exist."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class HasLocks(Protocol):
    """An object that threads share."""

    def renew_locks(self) -> None:
        """Replace all locks by free ones."""


_objects: weakref.WeakSet[HasLocks] = weakref.WeakSet()


def renew_after_fork(owner: HasLocks) -> None:
    """Have `owner.renew_locks` called in each forked process."""
    owner.renew_locks()
    _objects.add(owner)


def _renew_all() -> None:
    for each in list(_objects):
        each.renew_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
