"""Threads of a run: those of BLAS, or those of the compiled kernels."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, ParamSpec, TypeVar

from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.kernel.run_context import RunContext, current_run, enter_run, leave_run

if TYPE_CHECKING:
    from threadpoolctl import LibController

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Calls functions with the threads that the calling thread has."""

    def call(self, function: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
        """The result of the function."""
        return function(*args, **keywords)


class RunThreads(Threads):
    """Calls functions that share their work among up to `threads` threads, the calling one included.

    With `own_threads`, compiled kernels use their own threads, and BLAS has one: two sets of threads on the
    same cores slow each other down many times over.  Without, the threads are those of BLAS.  Several
    threads may call at once.
    """

    def __init__(self, threads: int, precision: str = "default", *, own_threads: bool = False) -> None:
        self._blas_threads = 1 if own_threads else threads
        self._threads = threads if own_threads else 1
        self._precision = precision

    def call(self, function: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
        """The result of the function; afterwards, or after an interrupt, all is as before."""
        context = RunContext(self._threads, self._precision, self._blas_threads)
        before = current_run()
        try:
            try:
                enter_run(context, before)
                return function(*args, **keywords)
            finally:
                leave_run(context, before)
                BlasLimit.remove(context)
        finally:
            # Again, as a KeyboardInterrupt may have stopped the first two at any line.
            leave_run(context, before)
            BlasLimit.remove(context)


def limit_blas() -> None:
    """Give BLAS the threads of the current run until it ends; a run that uses no BLAS saves the time."""
    run = current_run()
    if run.blas_threads is not None and not BlasLimit.is_entered(run):
        BlasLimit.add(run, run.blas_threads)


class BlasLimit:
    """Limits of the threads of BLAS, each with an owner.

    BLAS has one setting for the whole process.  While there are several limits, the smallest one is set;
    after the last one, the setting from before the first is restored.
    """

    _lock: ClassVar[OwnedLock] = OwnedLock()
    _entered: ClassVar[dict[int, int]] = {}
    """The limits, by the identity of their owners."""
    _before: ClassVar[dict[str, int]] = {}
    _now: ClassVar[dict[str, int]] = {}

    @classmethod
    def add(cls, owner: object, threads: int) -> None:
        """Set a limit; `owner` identifies it."""
        with cls._lock:
            cls._entered[id(owner)] = threads
            cls._apply()

    @classmethod
    def is_entered(cls, owner: object) -> bool:
        """Whether `owner` has a limit."""
        return id(owner) in cls._entered

    @classmethod
    def remove(cls, owner: object) -> None:
        """Remove the limit of `owner`, if it has one; may be repeated after an interrupt."""
        # Without a limit there is nothing to restore; `_before` is the last that `_apply` clears.
        if id(owner) in cls._entered or (cls._before and not cls._entered) or cls._lock.is_owned:
            with cls._lock:
                cls._entered.pop(id(owner), None)
                cls._apply()

    @classmethod
    def reset_after_fork(cls) -> None:
        """Start again in a forked process, which lacks the threads that had a limit."""
        cls._entered.clear()

    @classmethod
    def _apply(cls) -> None:
        limit = min(cls._entered.values(), default=None)
        for lib in _libraries():
            path = lib.filepath
            # Read the setting once per run: each call takes one or two microseconds.
            if path not in cls._now:
                cls._before.setdefault(path, lib.num_threads)
                cls._now[path] = lib.num_threads
            threads = cls._before[path] if limit is None else limit
            if cls._now[path] != threads:
                # Unknown, if an interrupt comes here.
                cls._now[path] = 0
                _set_threads(lib, threads)
                cls._now[path] = threads
        if limit is None:
            cls._now.clear()
            cls._before.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=BlasLimit.reset_after_fork)


@contextlib.contextmanager
def limited_blas(threads: int) -> Iterator[None]:
    """Limit BLAS to `threads` threads inside; afterwards, or after an interrupt, all is as before."""
    owner = object()
    try:
        try:
            BlasLimit.add(owner, threads)
            yield
        finally:
            BlasLimit.remove(owner)
    finally:
        # Again, as a KeyboardInterrupt may have stopped the first at any line.
        BlasLimit.remove(owner)


def _set_threads(lib: LibController, threads: int) -> None:
    lib.set_num_threads(threads)
    # From 3.7 on, threadpoolctl changes OpenBLAS only for the thread that set it first.
    clear = getattr(lib, "clear_controlling_thread", None)
    if clear is not None and lib.num_threads != threads:
        clear(force=True)
        lib.set_num_threads(threads)


_MODULES_WITH_BLAS = ("cv2", "scipy.linalg", "scipy.special")
"""Modules that load another BLAS when they are imported, which may happen at any time."""


def _libraries() -> tuple[LibController, ...]:
    return _libraries_with(*(name in sys.modules for name in _MODULES_WITH_BLAS))


@functools.cache
def _libraries_with(*_: bool) -> tuple[LibController, ...]:
    from threadpoolctl import ThreadpoolController  # a start by stored runs needs no BLAS

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
