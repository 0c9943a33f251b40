"""What is said once, however often it happens."""

from __future__ import annotations

import threading
from collections.abc import Hashable


class FirstTimes:
    """Remembers what happened; threads may share one."""

    def __init__(self) -> None:
        self._seen: set[Hashable] = set()
        self._lock = threading.Lock()

    def is_first(self, what: Hashable) -> bool:
        """Whether nobody asked about it before."""
        with self._lock:
            before = len(self._seen)
            self._seen.add(what)
            return len(self._seen) > before
