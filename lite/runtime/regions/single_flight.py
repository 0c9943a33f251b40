"""What is made once, by whoever needs it first, while all others wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from typing import Generic, TypeVar

from lite.errors import CompileError

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Values by key; a `CompileError` is remembered in place of one."""

    def __init__(self) -> None:
        self._futures: dict[Hashable, Future[T]] = {}
        self._lock = threading.Lock()

    @property
    def done(self) -> list[T]:
        """What was made so far."""
        return [
            future.result()
            for future in list(self._futures.values())
            if future.done() and not future.cancelled() and not future.exception()
        ]

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made now if nobody else did."""
        while True:
            with self._lock:
                found = self._futures.get(key)
                future = found or self._futures.setdefault(key, Future())
            if found is None:
                self._make(key, make, future)
            try:
                error = future.exception()
            except CancelledError:
                continue
            if error is not None:
                # Without the frames of those who got it before.
                raise error.with_traceback(None)
            return future.result()

    def _make(self, key: Hashable, make: Callable[[], T], future: Future[T]) -> None:
        try:
            future.set_result(make())
        except CompileError as error:
            future.set_exception(error)
        except BaseException:
            # An interrupt, say, is not about the key: whoever asks next tries again.
            with self._lock:
                del self._futures[key]
            future.cancel()
            raise
