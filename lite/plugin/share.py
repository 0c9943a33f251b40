"""What a kernel knows of the run that it is part of: who shares its work, and the precision.

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

LEAST_COST = 4_000_000
"""Multiplications that are worth waking another thread for: some 80 microseconds."""

PER_ELEMENT = 8
"""Multiplications that an element read from memory and written counts as."""


STRICT = "strict"
"""The precision that keeps to float32 arithmetic as written; see `lite.Config.precision`."""


class _Run(threading.local):
    run_parts: RunParts | None = None
    precision: str = "default"


_current = _Run()


def share(count: int, cost: float, part: Part) -> None:
    """Do `count` pieces of work that cost so much in all, on this thread alone where that is little."""
    run = _current.run_parts
    if run is None or cost < LEAST_COST or count < 2:
        part(0, count)
    else:
        run(count, part)


def current_precision() -> str:
    """The precision of the run that this thread is in, or prepares."""
    return _current.precision


@contextmanager
def working_for(run_parts: RunParts | None, precision: str = "default") -> Iterator[None]:
    """While entered, `run_parts` runs what this thread shares; None: this thread does it alone."""
    before = _current.run_parts, _current.precision
    _current.run_parts, _current.precision = run_parts, precision
    try:
        yield
    finally:
        _current.run_parts, _current.precision = before
