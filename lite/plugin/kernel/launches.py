"""Launches: calls of compiled functions that the runtime records in one run and repeats without Python.

A prepared function that `only_launches` marks computes nothing itself: it calls compiled functions of its
target on the arrays that it receives and on memory that it keeps.  It makes the same calls in each run with
the same input shapes.  While a run is recorded, each such call reports a `Launch`.  The runtime then joins
the launches of neighbouring steps into one call of their target (`LaunchTarget.join`).

A compiled function raises nothing: one that may fail, as for an index that is outside, notes the failure in
an array of its prepared function, whose `Check` is asked after the launches.  Launches that follow a failed
one may read memory that it did not write; their results are dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, NamedTuple, Protocol

from lite.dataclass import dataclass
from lite.ir.types import Array

KernelFunction = Callable[..., Any]

Check = Callable[[], Exception | None]
"""The error of the launches since the last call; None if they succeeded."""

Place = tuple[int, int, int]
"""Where a launch needs an array's address: its index, the index of its argument, and the offset in bytes."""


class LoopEnd(NamedTuple):
    """How a loop ended: whether its limit stopped it, and after how many iterations."""

    is_stopped: bool
    iterations: int


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

    shared_cost: float
    """The multiplications of the largest launch that several threads of the run may share; 0 if none."""

    def __call__(self, arrays: Sequence[Array]) -> None:
        """Make the launches with these arrays, one for each item of the places given to `Join`."""

    def run_at(self, addresses: Sequence[int]) -> None:
        """Make the launches on this thread alone, with contiguous arrays at these addresses."""

    def stored(self, memory: Sequence[Array]) -> StoredLaunches | None:
        """The launches as data, of which `memory` are blocks that each run overwrites; None if impossible."""


@dataclass(frozen=True, eq=False)
class BlockLaunches:
    """A sub-block that only launches, for arguments of known sizes.

    `joined` makes the launches, and is None where the block computes nothing.  `takes` are its arrays: the
    numbers of arguments of the block and, counted on after the `arguments`, of results that it writes.
    `copies` has for each result None if the launches write it, the number of an argument or of an earlier
    result that it equals, or an array that it equals.  `checks` find the errors.
    """

    target: LaunchTarget | None
    joined: Joined | None
    arguments: int
    takes: Sequence[int]
    copies: Sequence[int | Array | None]
    checks: Sequence[Check] = ()


class LaunchTarget(Protocol):
    """What a target does with launches: joins them, and makes those of blocks as conditions decide."""

    def join(self, launches: Sequence[Launch], places: Sequence[Sequence[Place]]) -> Joined:
        """One call of several launches; an item of `places` has those of an array that changes per run."""

    def branch(
        self,
        block: BlockLaunches,
        condition: Array,
        args: Sequence[Array],
        outs: Sequence[Array],
        carried: int,
    ) -> Launch | None:
        """A launch that runs a block where the condition holds; otherwise it copies `carried` arguments.

        The results are written to `outs`.  None where the target cannot make it.
        """

    def loop(
        self,
        block: BlockLaunches,
        args: Sequence[Array],
        outs: Sequence[Array],
        limit: int,
        collected: Sequence[Array] = (),
    ) -> tuple[Launch, Callable[[], LoopEnd]] | None:
        """A launch that runs a block while its first argument holds, and writes what it carries to `outs`.

        Each further result is written to an array of `collected`, whose rows are those of `limit` iterations.
        The function tells how the last run ended.  None where the target cannot make it.
        """


@dataclass(frozen=True, eq=False)
class Launch:
    """One call of a compiled function.

    `arrays` are the arrays that were passed, each with the index of its argument.  `details` are data of the
    target.  A launch is not repeatable if it worked on copies of arrays.
    """

    arrays: Sequence[tuple[int, Array]]
    details: Any
    target: LaunchTarget
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


@dataclass(eq=False)
class Recorder:
    """The launches of a thread that records; with `is_dry`, they are recorded and not made."""

    is_dry: bool
    launches: list[Launch] = field(default_factory=list)


RECORDERS: dict[int, Recorder] = {}
"""The threads that record, by thread identifier; almost always empty."""


@contextmanager
def recording(*, is_dry: bool = False) -> Iterator[list[Launch]]:
    """Record the launches of this thread inside the ``with`` block; `is_dry` records without launching."""
    recorder = Recorder(is_dry)
    thread = threading.get_ident()
    RECORDERS[thread] = recorder
    try:
        yield recorder.launches
    finally:
        RECORDERS.pop(thread, None)


def record(launch: Launch) -> bool:
    """Report a launch if this thread records; whether it must not be made."""
    recorder = RECORDERS.get(threading.get_ident())
    if recorder is None:
        return False
    recorder.launches.append(launch)
    return recorder.is_dry
