"""Which threads do the work of a run: BLAS's, or those of our own kernels."""

from __future__ import annotations

import functools
import os
import sys
import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ClassVar

from threadpoolctl import LibController, ThreadpoolController

from lite.plugin.kernel.run_context import run_context


class RunThreads(AbstractContextManager[None]):
    """While entered, kernels share their work among up to `threads` threads, this one included.

    With `own_threads` these are the kernels' own and BLAS has one: two sets of threads on the same cores
    slow each other down many times over.  Without, they are BLAS's.  May be entered by several threads.
    """

    def __init__(self, threads: int, precision: str = "default", *, own_threads: bool = False) -> None:
        self._blas = BlasLimit(1 if own_threads else threads)
        self._threads = threads if own_threads else 1
        self._precision = precision
        self._entered = threading.local()

    def __enter__(self) -> None:
        work = run_context(self._threads, self._precision)
        if not hasattr(self._entered, "stack"):
            self._entered.stack = []
        self._entered.stack.append(work)
        self._blas.__enter__()
        work.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered.stack.pop().__exit__(kind, error, trace)
        self._blas.__exit__(kind, error, trace)


class BlasLimit(AbstractContextManager[None]):
    """Limits BLAS to `threads` while entered.

    BLAS has one setting for the whole process, so while several are entered at once the smallest
    limit holds, and the setting found before the first comes back behind the last.
    """

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _entered: ClassVar[list[int]] = []
    _before: ClassVar[dict[str, int]] = {}
    _now: ClassVar[dict[str, int]] = {}

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> None:
        with self._lock:
            self._entered.append(self.threads)
            self._apply()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            # Where a run forks, its limit is over in the child.
            if self.threads in self._entered:
                self._entered.remove(self.threads)
            self._apply()

    @classmethod
    def renew(cls) -> None:
        """In a forked process: the threads that may hold the lock, or be in a run, are not there."""
        cls._lock = threading.Lock()
        cls._entered.clear()

    def _apply(self) -> None:
        limit = min(self._entered, default=None)
        for lib in _libraries():
            path = lib.filepath
            # A library is asked once a run: each question takes a microsecond or two.
            if path not in self._before:
                self._before[path] = self._now[path] = lib.num_threads
            wanted = self._before[path] if limit is None else limit
            if self._now[path] != wanted:
                _set_threads(lib, wanted)
                self._now[path] = wanted
        if limit is None:
            self._before.clear()
            self._now.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=BlasLimit.renew)


def _set_threads(lib: LibController, wanted: int) -> None:
    lib.set_num_threads(wanted)
    # From 3.7 on, threadpoolctl hears only the thread that was first to set OpenBLAS's one setting.
    take_over = getattr(lib, "clear_controlling_thread", None)
    if take_over is not None and lib.num_threads != wanted:
        take_over(force=True)
        lib.set_num_threads(wanted)


_BRING_BLAS = ("cv2", "scipy.linalg", "scipy.special")
"""Modules with a BLAS of their own, which may be loaded at any time."""


def _libraries() -> tuple[LibController, ...]:
    return _found_libraries(*(name in sys.modules for name in _BRING_BLAS))


@functools.cache
def _found_libraries(*_: bool) -> tuple[LibController, ...]:
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
