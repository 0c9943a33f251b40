"""An inference request that has ended, for logs and traces."""

from __future__ import annotations

from collections.abc import Callable

from lite.dataclass import dataclass
from lite.serving.protocol.messages import InferRequest
from lite.serving.repository.served import Served
from lite.serving.scheduling.job import Outcome


@dataclass(frozen=True)
class EndedRequest:
    """A request that ran from `start_ns` to `end_ns` of perf_counter_ns; a failed one has no outcome."""

    served: Served
    request: InferRequest
    status: str
    start_ns: int
    end_ns: int
    outcome: Outcome | None


Observer = Callable[[EndedRequest], object]
"""Receives each request of a service."""
