"""Why a server refuses a request, in the terms of HTTP and gRPC."""

from __future__ import annotations

import enum

from lite.errors import LiteError


class Status(enum.Enum):
    """A reason: the status of HTTP, and the name of the code of gRPC."""

    BAD_REQUEST = (400, "INVALID_ARGUMENT")
    UNAUTHENTICATED = (401, "UNAUTHENTICATED")
    FORBIDDEN = (403, "PERMISSION_DENIED")
    NOT_FOUND = (404, "NOT_FOUND")
    WRONG_METHOD = (405, "UNIMPLEMENTED")
    TOO_LARGE = (413, "RESOURCE_EXHAUSTED")
    BUSY = (429, "RESOURCE_EXHAUSTED")
    CANCELLED = (499, "CANCELLED")
    INTERNAL = (500, "INTERNAL")
    UNSUPPORTED = (415, "UNIMPLEMENTED")
    UNAVAILABLE = (503, "UNAVAILABLE")
    EXPIRED = (504, "DEADLINE_EXCEEDED")

    def __init__(self, http: int, grpc: str) -> None:
        self.http = http
        self.grpc = grpc


class RequestError(LiteError):
    """A request that a server refuses or cannot answer.

    `retry_after` is the number of seconds after which a client may try again, where that makes sense.
    """

    def __init__(self, status: Status, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[RequestError], tuple[Status, str, int | None]]:
        """How to make it again in another process: Ray sends errors so."""
        return type(self), (self.status, str(self), self.retry_after)


def bad_request(message: str) -> RequestError:
    """The error of a request that is at fault."""
    return RequestError(Status.BAD_REQUEST, message)
