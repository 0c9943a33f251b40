"""The threads of the cmodel, which look for work without a pause, also between runs.

Between runs they have the scheduler's idle priority, so that they get only what no other thread uses, where
this process may end that priority again.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator

_threads: set[int] = set()
"""The ids of the threads of this process."""

_NICE = 20
"""The least RLIMIT_NICE with which a thread without privileges leaves the idle priority."""


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """A context in which the cmodel loads a model; threads that start in it are the cmodel's."""
    before = _tasks()
    try:
        with awake():
            yield
    finally:
        _threads.update(_tasks() - before)
        _schedule(idle=True)


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """A context in which the cmodel runs."""
    _schedule(idle=False)
    try:
        yield
    finally:
        _schedule(idle=True)


def _tasks() -> set[int]:
    try:
        return {int(name) for name in os.listdir("/proc/self/task")}
    except OSError:
        return set()


def _schedule(*, idle: bool) -> None:
    limit = resource.getrlimit(resource.RLIMIT_NICE)[0]
    if os.geteuid() and limit != resource.RLIM_INFINITY and limit < _NICE:
        return
    for thread in _threads:
        # A thread may have ended, and a container may forbid the change.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_IDLE if idle else os.SCHED_OTHER, os.sched_param(0))
