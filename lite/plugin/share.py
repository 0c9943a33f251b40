"""How a kernel shares its work among the threads of a run.

The runtime says who runs parts (`working_for`); a kernel calls `share` and need not know whether there is
more than one thread.  Parts must release the interpreter's lock to run at the same time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Part = Callable[[int, int], None]
"""Does the pieces of a piece of work from one number to another, exclusive."""

RunParts = Callable[[int, Part], None]
"""Calls a part for ranges that cover ``range(count)`` and returns when all are done."""

LEAST_COST = 200_000
"""Multiplications, or elements moved, that are worth waking another thread for."""


class _Threads(threading.local):
    run: RunParts | None = None


_threads = _Threads()


def share(count: int, cost: float, part: Part) -> None:
    """Do `count` pieces of work that cost so much in all, on this thread alone where that is little."""
    run = _threads.run
    if run is None or cost < LEAST_COST or count < 2:
        part(0, count)
    else:
        run(count, part)


@contextmanager
def working_for(run: RunParts | None) -> Iterator[None]:
    """While entered, what this thread shares is run by `run`; None: by this thread alone."""
    before, _threads.run = _threads.run, run
    try:
        yield
    finally:
        _threads.run = before
