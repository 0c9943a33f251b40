"""How many requests of an ensemble may be under way."""

from __future__ import annotations

from lite.serving.protocol.status import RequestError, Status


class Admission:
    """A context that refuses entry while `limit` others are inside; belongs to one event loop."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._inside = 0

    def __enter__(self) -> None:
        if self._inside >= self._limit:
            raise RequestError(
                Status.BUSY, f"ensemble {self._name!r}: {self._limit} requests are under way", retry_after=1
            )
        self._inside += 1

    def __exit__(self, *error: object) -> None:
        self._inside -= 1
