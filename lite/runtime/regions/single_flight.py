"""SingleFlight: values that the first thread makes, while the others wait for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from lite.errors import CompileError
from lite.plugin.kernel.owned_lock import OwnedLock

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Values by key.  A `CompileError` is remembered like a value, and raised again.

    After another error, or an interrupt at any line, the next thread that asks tries again; so does a forked
    process, for what another thread was making at the time of the fork.
    """

    def __init__(self) -> None:
        self._slots: dict[Hashable, _Slot[T]] = {}

    @property
    def done(self) -> list[T]:
        """The values made so far."""
        return [value for slot in list(self._slots.values()) for value in slot.values]

    def __contains__(self, key: Hashable) -> bool:
        slot = self._slots.get(key)
        return slot is not None and slot.is_done

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key; calls `make` if no thread did before."""
        slot = self._slots.get(key)
        while slot is None or not slot.is_done:
            # One operation of C decides whose slot is the key's.
            slot = self._slots.setdefault(key, _Slot())
            with slot.lock:
                if not slot.is_done and self._slots.get(key) is slot:
                    self._make(key, slot, make)
        if slot.error is not None:
            # Drop the frames of threads that raised it before.
            raise slot.error.with_traceback(None)
        return slot.values[0]

    def _make(self, key: Hashable, slot: _Slot[T], make: Callable[[], T]) -> None:
        try:
            slot.values.append(make())
        except CompileError as error:
            slot.error = error
        finally:
            if not slot.is_done:
                # Threads that wait for the lock take a new slot.
                self._slots.pop(key, None)


class _Slot(Generic[T]):
    """At most one value, or the error in its place."""

    def __init__(self) -> None:
        self.lock = OwnedLock()
        self.values: list[T] = []
        self.error: CompileError | None = None

    @property
    def is_done(self) -> bool:
        """Whether the value or the error is known."""
        return bool(self.values) or self.error is not None
