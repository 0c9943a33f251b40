"""The threads of the cmodel, which look for work without a pause, also between runs.

Between runs they have the scheduler's idle priority, so that they get only what no other thread uses, where
this process may end that priority again.  During a run one of them computes and the others wait, so on a
machine with fewer cores than threads the one has a core to itself.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

_threads: set[int] = set()
"""The ids of the threads of this process."""

_NICE = 20
"""The least RLIMIT_NICE with which a thread without privileges leaves the idle priority."""

_COMPUTES = "TPU_BD"
"""The cmodel's name of the thread that computes."""


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
    cores = os.sched_getaffinity(0)
    _place(cores)
    try:
        yield
    finally:
        _pin(0, cores)
        _schedule(idle=True)


def _tasks() -> set[int]:
    try:
        return {int(name) for name in os.listdir("/proc/self/task")}
    except OSError:
        return set()


def _place(cores: set[int]) -> None:
    """Give the thread that computes a core, and the other ones and this thread those that are left."""
    if not 1 < len(cores) <= len(_threads):
        return
    # Workers that run at once take different cores.
    own = {sorted(cores)[os.getpid() % len(cores)]}
    for thread in _threads:
        _pin(thread, own if _name(thread) == _COMPUTES else cores - own)
    _pin(0, cores - own)


def _pin(thread: int, cores: set[int]) -> None:
    # A thread may have ended, and a container may forbid the change.
    with contextlib.suppress(OSError):
        os.sched_setaffinity(thread, cores)


def _name(thread: int) -> str:
    try:
        return Path(f"/proc/self/task/{thread}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _schedule(*, idle: bool) -> None:
    limit = resource.getrlimit(resource.RLIMIT_NICE)[0]
    if os.geteuid() and limit != resource.RLIM_INFINITY and limit < _NICE:
        return
    for thread in _threads:
        # A thread may have ended, and a container may forbid the change.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_IDLE if idle else os.SCHED_OTHER, os.sched_param(0))
