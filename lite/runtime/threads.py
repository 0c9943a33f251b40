"""How many threads BLAS may use while a predictor runs."""

from __future__ import annotations

import functools
import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ClassVar

from threadpoolctl import LibController, ThreadpoolController


class BlasLimit(AbstractContextManager[None]):
    """Limits BLAS to `threads` while entered.

    BLAS has one setting for the whole process, so while several are entered at once the smallest
    limit holds, and the setting found before the first comes back behind the last.
    """

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _entered: ClassVar[list[int]] = []
    _before: ClassVar[dict[str, int]] = {}

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> None:
        with self._lock:
            if not self._entered:
                self._before.update({lib.filepath: lib.num_threads for lib in _libraries()})
            self._entered.append(self.threads)
            self._apply()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._entered.remove(self.threads)
            self._apply()

    def _apply(self) -> None:
        for lib in _libraries():
            wanted = min(self._entered) if self._entered else self._before[lib.filepath]
            if lib.num_threads != wanted:
                _set_threads(lib, wanted)


def _set_threads(lib: LibController, wanted: int) -> None:
    lib.set_num_threads(wanted)
    # From 3.7 on, threadpoolctl hears only the thread that was first to set OpenBLAS's one setting.
    take_over = getattr(lib, "clear_controlling_thread", None)
    if take_over is not None and lib.num_threads != wanted:
        take_over(force=True)
        lib.set_num_threads(wanted)


@functools.cache
def _libraries() -> tuple[LibController, ...]:
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
