"""RunGuard: lets one run of a predictor take place at a time."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from lite.errors import ExecutionError

if TYPE_CHECKING:
    from lite.cache.packed_weights import PackedWeights


class RunGuard(AbstractContextManager[None]):
    """Entered for the time of a run; raises `ExecutionError` while another run is going on.

    `threads` is entered, too.  Weights that kernels packed during the run are stored at its end.
    """

    def __init__(self, threads: AbstractContextManager[None], packs: PackedWeights | None) -> None:
        self._threads = threads
        self._packs = packs
        self._busy = threading.Lock()

    def __enter__(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise ExecutionError("this predictor is already running in another thread; use predictor.clone()")
        try:
            self._threads.__enter__()
        except BaseException:
            self._busy.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._threads.__exit__(kind, error, trace)
            if self._packs is not None and self._packs.needs_write:
                self._packs.write()
        finally:
            self._busy.release()
