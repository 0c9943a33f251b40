"""RunLog: the times of a session's runs, as a trace that browsers show."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class RunLog:
    """Times of runs in microseconds since the start, in the format of Chrome's tracing."""

    def __init__(self, prefix: str) -> None:
        self.start_ns = time.monotonic_ns()
        self._path = Path(f"{prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json")
        self._events: list[dict[str, object]] = []

    def timed(self, run: Callable[[], T]) -> T:
        """The result of a run, whose time is kept."""
        begin = time.monotonic_ns()
        result = run()
        self._events.append(
            {
                "cat": "Session",
                "pid": os.getpid(),
                "tid": threading.get_native_id(),
                "dur": (time.monotonic_ns() - begin) // 1000,
                "ts": (begin - self.start_ns) // 1000,
                "ph": "X",
                "name": "model_run",
                "args": {},
            }
        )
        return result

    def write(self) -> str:
        """Write the file and return its name."""
        self._path.write_text(json.dumps(self._events), encoding="utf-8")
        return str(self._path)
