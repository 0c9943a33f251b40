"""What a kernel knows of the run that it is part of: how many threads may do its work, and the precision.

The runtime says so (`working_for`); kernels with threads of their own keep them for the run in `Work.crew`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

PER_ELEMENT = 8
"""Multiplications that an element read from memory and written counts as."""

STRICT = "strict"
"""The precision that keeps to float32 arithmetic as written; see `lite.Config.precision`."""


class Crew(Protocol):
    """Threads that help a run."""

    def leave(self) -> None:
        """The run is over."""


@dataclass
class Work:
    """A run, as its kernels see it: `threads`, the one that runs it included, may be busy at a time."""

    threads: int = 1
    precision: str = "default"
    crew: Crew | None = field(default=None, repr=False)


class _Current(threading.local):
    def __init__(self) -> None:
        self.work = Work()


_current = _Current()


def current_work() -> Work:
    """The run that this thread is in, or prepares; one of one thread outside of any."""
    return _current.work


def current_precision() -> str:
    """The precision of that run."""
    return _current.work.precision


def current_threads() -> int:
    """How many threads may do the work of that run."""
    return _current.work.threads


@contextmanager
def working_for(threads: int, precision: str = "default") -> Iterator[None]:
    """While entered, this thread works for a run, and a run inside it has the same crew."""
    before = _current.work
    work = _current.work = Work(threads, precision, before.crew)
    try:
        yield
    finally:
        _current.work = before
        if work.crew is not None and work.crew is not before.crew:
            work.crew.leave()
