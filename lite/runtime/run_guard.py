"""One run at a time."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from lite.errors import ExecutionError

if TYPE_CHECKING:
    from lite.cache.packed_weights import PackedWeights


class RunGuard(AbstractContextManager[None]):
    """Entered while a predictor runs; raises `ExecutionError` where it already does."""

    def __init__(self, limit: AbstractContextManager[None], packs: PackedWeights | None) -> None:
        self._limit = limit
        self._packs = packs
        self._busy = threading.Lock()

    def __enter__(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise ExecutionError("this predictor is already running in another thread; use predictor.clone()")
        try:
            self._limit.__enter__()
        except BaseException:
            self._busy.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._limit.__exit__(kind, error, trace)
            if self._packs is not None and self._packs.needs_write:
                self._packs.write()
        finally:
            self._busy.release()
