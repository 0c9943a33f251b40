"""Threads of a run: those of BLAS, or those of the compiled kernels."""

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

    With `own_threads`, compiled kernels use their own threads, and BLAS has one: two sets of threads on the
    same cores slow each other down many times over.  Without, the threads are those of BLAS.  Several
    threads may enter one object.
    """

    def __init__(self, threads: int, precision: str = "default", *, own_threads: bool = False) -> None:
        self._blas = BlasLimit(1 if own_threads else threads)
        self._threads = threads if own_threads else 1
        self._precision = precision
        self._entered = threading.local()

    def __enter__(self) -> None:
        context = run_context(self._threads, self._precision)
        if not hasattr(self._entered, "stack"):
            self._entered.stack = []
        self._entered.stack.append(context)
        self._blas.__enter__()
        context.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered.stack.pop().__exit__(kind, error, trace)
        self._blas.__exit__(kind, error, trace)


class BlasLimit(AbstractContextManager[None]):
    """Limits BLAS to `threads` threads while entered.

    BLAS has one setting for the whole process.  While several limits are entered, the smallest one is set;
    after the last one, the setting from before the first is restored.
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
            # In a child that was forked during a run, `reset_after_fork` removed the limit.
            if self.threads in self._entered:
                self._entered.remove(self.threads)
            self._apply()

    @classmethod
    def reset_after_fork(cls) -> None:
        """Start again in a forked process, which lacks the threads that held the lock or a limit."""
        cls._lock = threading.Lock()
        cls._entered.clear()

    def _apply(self) -> None:
        limit = min(self._entered, default=None)
        for lib in _libraries():
            path = lib.filepath
            # Read the setting once per run: each call takes one or two microseconds.
            if path not in self._before:
                self._before[path] = self._now[path] = lib.num_threads
            threads = self._before[path] if limit is None else limit
            if self._now[path] != threads:
                _set_threads(lib, threads)
                self._now[path] = threads
        if limit is None:
            self._before.clear()
            self._now.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=BlasLimit.reset_after_fork)


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
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
