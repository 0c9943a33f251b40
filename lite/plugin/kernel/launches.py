"""Launches: calls of compiled functions that the runtime records in one run and repeats without Python.

A prepared function that `only_launches` marks computes nothing itself: it calls compiled functions of its
target on the arrays that it receives and on memory that it keeps.  It makes the same calls in each run with
the same input shapes.  While a run is recorded, each such call reports a `Launch`.  The runtime then joins
the launches of neighbouring steps into one call of their target (`Launch.join`).

A compiled function raises nothing: one that may fail, as for an index that is outside, notes the failure in
an array of its prepared function, whose `Check` is asked after the launches.  Launches that follow a failed
one may read memory that it did not write; their results are dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from lite.dataclass import dataclass
from lite.ir.types import Array

KernelFunction = Callable[..., Any]

Check = Callable[[], Exception | None]
"""The error of the launches since the last call; None if they succeeded."""

Place = tuple[int, int, int]
"""Where a launch needs an array's address: its index, the index of its argument, and the offset in bytes."""


@dataclass(frozen=True)
class StoredLaunches:
    """Launches of a target as JSON, with the constants that they read, and the module that restores them.

    See `lite.plugin.kernel.launch_restorers`.
    """

    target: str
    module: str
    record: dict[str, Any]
    constants: Sequence[Array]


class Joined(Protocol):
    """Several launches that one call makes."""

    may_share: bool
    """Whether the other threads of the run may do part of the work."""

    def __call__(self, arrays: Sequence[Array]) -> None:
        """Make the launches with these arrays, one for each item of the places given to `Join`."""

    def run_at(self, addresses: Sequence[int]) -> None:
        """Make the launches on this thread alone, with contiguous arrays at these addresses."""

    def stored(self, memory: Sequence[Array]) -> StoredLaunches | None:
        """The launches as data, of which `memory` are blocks that each run overwrites; None if impossible."""


Join = Callable[[Sequence["Launch"], Sequence[Sequence[Place]]], Joined]
"""Joins launches; each item of the second argument has the places of one array that changes per run."""


@dataclass(frozen=True, eq=False)
class Launch:
    """One call of a compiled function.

    `arrays` are the arrays that were passed, each with the index of its argument.  `details` are data of the
    target, for `join`.  A launch is not repeatable if it worked on copies of arrays.
    """

    arrays: Sequence[tuple[int, Array]]
    details: Any
    join: Join
    is_repeatable: bool = True


class OnlyLaunches:
    """A prepared function that does nothing but launch; `check` finds the errors of its launches."""

    __slots__ = ("check", "run")

    def __init__(self, run: KernelFunction, check: Check | None = None) -> None:
        self.run = run
        self.check = check

    def __call__(self, *arrays: Any, **keywords: Any) -> Any:
        """Run the function, and raise its error."""
        if self.check is None:
            return self.run(*arrays, **keywords)
        self.check()  # forgets the error of an interrupted call
        result = self.run(*arrays, **keywords)
        error = self.check()
        if error is not None:
            raise error
        return result


def only_launches(run: KernelFunction, check: Check | None = None) -> KernelFunction:
    """Mark a prepared function that does nothing but launch; see the docstring of this module."""
    return OnlyLaunches(run, check)


RECORDERS: dict[int, list[Launch]] = {}
"""The launches of the threads that record, by thread identifier; almost always empty."""


@contextmanager
def recording() -> Iterator[list[Launch]]:
    """Record the launches of this thread inside the ``with`` block."""
    launches: list[Launch] = []
    thread = threading.get_ident()
    RECORDERS[thread] = launches
    try:
        yield launches
    finally:
        RECORDERS.pop(thread, None)


def record(launch: Launch) -> None:
    """Report a launch if this thread records."""
    launches = RECORDERS.get(threading.get_ident())
    if launches is not None:
        launches.append(launch)
