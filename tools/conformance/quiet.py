"""Hear what the engine logs, instead of showing it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record.getMessage())


@contextmanager
def quiet() -> Iterator[list[str]]:
    """While entered, warnings of the engine are put in the list, and nowhere else."""
    log = logging.getLogger("lite")
    listener = _Listener()
    handlers, propagate = log.handlers[:], log.propagate
    log.handlers[:], log.propagate = [listener], False
    try:
        yield listener.heard
    finally:
        log.handlers[:], log.propagate = handlers, propagate
