"""SingleFlight: values that the first thread makes, while the others wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from typing import Generic, TypeVar

from lite.errors import CompileError

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Values by key.  A `CompileError` is remembered like a value, and raised again."""

    def __init__(self) -> None:
        self._futures: dict[Hashable, Future[T]] = {}
        self._lock = threading.Lock()

    @property
    def done(self) -> list[T]:
        """The values made so far."""
        return [
            future.result()
            for future in list(self._futures.values())
            if future.done() and not future.cancelled() and not future.exception()
        ]

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key; calls `make` if no thread did before."""
        while True:
            with self._lock:
                existing = self._futures.get(key)
                future = existing or self._futures.setdefault(key, Future())
            if existing is None:
                self._make(key, make, future)
            try:
                error = future.exception()
            except CancelledError:
                continue
            if error is not None:
                # Drop the frames of threads that raised it before.
                raise error.with_traceback(None)
            return future.result()

    def _make(self, key: Hashable, make: Callable[[], T], future: Future[T]) -> None:
        try:
            future.set_result(make())
        except CompileError as error:
            future.set_exception(error)
        except BaseException:
            # An interrupt, for example, does not depend on the key: the next thread tries again.
            with self._lock:
                del self._futures[key]
            future.cancel()
            raise
