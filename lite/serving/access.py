"""Who may send requests: tokens, and browsers of other sites."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from lite.dataclass import dataclass
from lite.serving.protocol.status import RequestError, Status

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OPEN_PATHS = ("/v2/health/live", "/v2/health/ready", "/", "/page.js", "/page.css")


@dataclass(frozen=True)
class Access:
    """The rules.

    token: what clients send as ``Authorization: Bearer TOKEN``; None for no token.  Health and the
        page itself, which reads its data with the token, need none.
    only_local: accept only requests to a loopback name, so that no web page reaches the server under a name
        that its owner points at this computer.
    """

    token: str | None = None
    only_local: bool = False

    def check_http(self, path: str, headers: Mapping[str, str]) -> None:
        """Raise `RequestError` for a request that is not allowed."""
        host = headers.get("host", "")
        if self.only_local and _name(host) not in LOOPBACK:
            raise RequestError(Status.FORBIDDEN, f"the host {host[:80]!r} is not a name of this computer")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise RequestError(Status.FORBIDDEN, "requests from pages of other sites are refused")
        if path not in _OPEN_PATHS:
            self.check_token(headers.get("authorization", ""))

    def check_token(self, authorization: str) -> None:
        """Raise `RequestError` unless the header or metadata has the token."""
        if self.token is None:
            return
        kind, _, given = authorization.partition(" ")
        matches = hmac.compare_digest(given.strip().encode(), self.token.encode())
        if kind.lower() != "bearer" or not matches:
            raise RequestError(Status.UNAUTHENTICATED, "send the header Authorization: Bearer TOKEN")


def _name(host: str) -> str:
    """The host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
