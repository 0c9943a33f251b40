"""The run that a kernel is part of: how many threads may do its work, and its precision.

The runtime enters `run_context` around each run.  A target whose kernels have threads of their own keeps them
in `RunContext.pool` for as long as the run lasts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, NoReturn, Protocol

from lite.dataclass import dataclass

if TYPE_CHECKING:
    from lite.plugin.kernel.compilation import KernelTask

PER_ELEMENT = 8
"""Multiplications that cost as much as reading an element of four bytes from memory and writing it."""

PER_BYTE = 2
"""The same for an element of one byte."""

STRICT = "strict"
"""The precision that computes in float32 exactly as written; see `lite.Config.precision`."""


class WorkerPool(Protocol):
    """Threads that work for one run at a time."""

    def release(self) -> None:
        """The run is over: the threads may work for another one; may be repeated."""


class MissingKernels:
    """The kernels that a run lacks, which does not wait until they are compiled.

    With `only_binds`, prepared kernels do nothing when they are called: so binding a model finds all the
    kernels that it needs.
    """

    def __init__(self, *, only_binds: bool = False) -> None:
        self.tasks: dict[KernelTask, None] = {}
        self.only_binds = only_binds

    def refuse(self, target: str, name: str, source: Sequence[str] = ()) -> NoReturn:
        """End the run at a kernel, given as for `KernelTask`: raises `NotCompiledError`."""
        from lite.plugin.kernel.compilation import KernelTask, NotCompiledError

        self.tasks[KernelTask(target, name, tuple(source))] = None
        raise NotCompiledError(f"the kernel {name} is not compiled yet")


@dataclass
class RunContext:
    """A run as its kernels see it: at most `threads` threads work for it, the calling thread included.

    `blas_threads` are those of BLAS, from the first step on that may use it; None leaves BLAS as it is.
    `missing` takes the kernels that are not compiled yet; with None, the run compiles them.
    """

    threads: int = 1
    precision: str = "default"
    blas_threads: int | None = None
    pool: WorkerPool | None = field(default=None, repr=False)
    missing: MissingKernels | None = None


class _Current(threading.local):
    def __init__(self) -> None:
        self.run = RunContext()


_current = _Current()


def current_run() -> RunContext:
    """The run that this thread executes or prepares; outside any run, a context with one thread."""
    return _current.run


def current_precision() -> str:
    """The precision of the current run."""
    return _current.run.precision


def current_threads() -> int:
    """The number of threads that may work for the current run."""
    return _current.run.threads


@contextmanager
def run_context(threads: int, precision: str = "default") -> Iterator[None]:
    """While entered, this thread executes a run; a run inside another one uses the same pool."""
    before, run = _current.run, RunContext(threads, precision)
    try:
        enter_run(run, before)
        yield
    finally:
        leave_run(run, before)


def enter_run(run: RunContext, before: RunContext) -> None:
    """This thread executes `run` from now on; a run inside `before` uses the same pool."""
    run.pool = before.pool
    _current.run = run


def leave_run(run: RunContext, before: RunContext) -> None:
    """This thread executes `before` again; may be repeated after an interrupt."""
    _current.run = before
    if run.pool is not None and run.pool is not before.pool:
        run.pool.release()
        run.pool = None
