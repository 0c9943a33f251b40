"""A line of JSON for each inference request."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable

from lite.serving.ended_request import EndedRequest

Write = Callable[[str], object]
"""Writes a line."""


class RequestLog:
    """Writes the model, the status, and how long each stage took."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def add(self, ended: EndedRequest) -> None:
        """Write the line of a request."""
        outcome = ended.outcome
        line: dict[str, object] = {
            "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"),
            "model": ended.served.name,
            "version": ended.served.version,
            "id": ended.request.id,
            "status": ended.status,
            "ms": (ended.end_ns - ended.start_ns) / 1e6,
        }
        if outcome is not None:
            line |= {
                "queue_ms": outcome.times.queue / 1e6,
                "infer_ms": outcome.times.infer / 1e6,
                "batch": outcome.batch,
            }
        self._write(json.dumps(line) + "\n")
