"""Launches: calls of compiled functions that the runtime records in one run, and makes without Python later.

A prepared function under `only_launches` computes nothing itself: it calls compiled functions of its target,
the same ones in each run with the same input shapes, on the arrays that it gets and on memory that it keeps.
While a run is recorded, each such call reports a `Launch`.  The runtime then joins the launches of
neighbouring steps: their target makes one call of them (`Launch.join`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from lite.dataclass import dataclass
from lite.ir.types import Array

KernelFunction = Callable[..., Any]

Place = tuple[int, int, int]
"""Where an address is needed: the number of the launch, that of its argument, and the offset in bytes."""


class Joined(Protocol):
    """Several launches in one call."""

    may_share: bool
    """Whether further threads of the run may do part of the work."""

    def __call__(self, arrays: Sequence[Array]) -> None:
        """Launch, with these arrays at the places that each run decides."""

    def run_at(self, addresses: Sequence[int]) -> None:
        """Launch on this thread alone, with contiguous arrays at these addresses."""


Join = Callable[[Sequence["Launch"], Sequence[Sequence[Place]]], Joined]
"""Joins launches; each further item has the places of one array whose address each run decides."""


@dataclass(frozen=True, eq=False)
class Launch:
    """One call of a compiled function.

    `arrays` are those that were passed, by the number of the argument.  `details` are the target's own.  It
    is not repeatable if it worked on copies of arrays.
    """

    arrays: Sequence[tuple[int, Array]]
    details: Any
    join: Join
    is_repeatable: bool = True


class OnlyLaunches:
    """A prepared function that does nothing but launch."""

    __slots__ = ("run",)

    def __init__(self, run: KernelFunction) -> None:
        self.run = run

    def __call__(self, *arrays: Any, **keywords: Any) -> Any:
        """Run the function."""
        return self.run(*arrays, **keywords)


def only_launches(run: KernelFunction) -> KernelFunction:
    """Mark a prepared function that does nothing but launch; see the module."""
    return OnlyLaunches(run)


RECORDERS: dict[int, list[Launch]] = {}
"""The launches of threads that record, by the thread's number; almost always empty."""


@contextmanager
def recording() -> Iterator[list[Launch]]:
    """Record the launches of this thread while entered."""
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
