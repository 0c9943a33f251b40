"""A line of JSON for each inference request."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable

from lite.serving.protocol.messages import InferRequest
from lite.serving.repository.served import Served
from lite.serving.scheduling.job import Outcome

Write = Callable[[str], object]
"""Writes a line."""


class RequestLog:
    """Writes the model, the status, and how long each stage took."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def add(
        self,
        served: Served,
        request: InferRequest,
        status: str,
        start_ns: int,
        end_ns: int,
        outcome: Outcome | None,
    ) -> None:
        """Write the line of a request; `outcome` is None if it failed."""
        line: dict[str, object] = {
            "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"),
            "model": served.name,
            "version": served.version,
            "id": request.id,
            "status": status,
            "ms": (end_ns - start_ns) / 1e6,
        }
        if outcome is not None:
            line |= {
                "queue_ms": outcome.times.queue / 1e6,
                "infer_ms": outcome.times.infer / 1e6,
                "batch": outcome.batch,
            }
        self._write(json.dumps(line) + "\n")
