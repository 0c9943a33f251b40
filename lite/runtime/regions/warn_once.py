"""Warnings that are given once, however often their cause occurs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable


class WarnOnce:
    """Remembers which causes were reported; threads may share one."""

    def __init__(self) -> None:
        self._seen: set[Hashable] = set()
        self._lock = threading.Lock()

    def is_first(self, cause: Hashable) -> bool:
        """Whether this is the first question about `cause`."""
        with self._lock:
            before = len(self._seen)
            self._seen.add(cause)
            return len(self._seen) > before

    def level(self, cause: Hashable) -> int:
        """The log level for a report of `cause`: WARNING the first time, INFO later."""
        return logging.WARNING if self.is_first(cause) else logging.INFO
