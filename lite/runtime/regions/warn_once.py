"""WarnOnce: log levels by which a repeated problem is one warning."""

from __future__ import annotations

import logging
from collections.abc import Hashable

from lite.plugin.kernel.owned_lock import OwnedLock


class WarnOnce:
    """Remembers which causes were reported; safe to use from threads."""

    def __init__(self) -> None:
        self._reported: set[Hashable] = set()
        self._lock = OwnedLock()

    def is_first(self, cause: Hashable) -> bool:
        """Whether `cause` was not reported before; marks it as reported."""
        with self._lock:
            before = len(self._reported)
            self._reported.add(cause)
            return len(self._reported) > before

    def level(self, cause: Hashable) -> int:
        """The log level for a report of `cause`: WARNING the first time, then INFO."""
        return logging.WARNING if self.is_first(cause) else logging.INFO
