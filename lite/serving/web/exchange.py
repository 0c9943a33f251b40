"""One HTTP request and its answer, over the ASGI interface."""

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Any

from lite.dataclass import dataclass
from lite.serving.protocol.limits import RequestLimits, check_body
from lite.serving.protocol.status import RequestError, Status, bad_request

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_ONE_PART = 64 << 10
"""Bodies up to this size are sent as one: larger ones are sent faster than copied."""

_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
"""The window bits of zlib for each encoding."""

_REFUSED = re.compile(r".*;q=0(\.0*)?$")


@dataclass(frozen=True)
class Answer:
    """Status, body with the tensors after it, and headers.

    `compress` is whether the client's Accept-Encoding applies.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    compress: bool = False
    tensors: Sequence[bytes | memoryview] = ()


@dataclass(frozen=True)
class Exchange:
    """A request: its method, path without the application's prefix, and headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    receive: Receive

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> Exchange:
        """The request of an ASGI scope."""
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        return cls(str(scope["method"]), path, headers, receive)

    async def body(self, limits: RequestLimits) -> bytes:
        """The whole body, decompressed; raises `RequestError` as soon as it is too large."""
        length = self.headers.get("content-length", "0")
        if length.isascii() and length.isdigit():
            check_body(int(length) if len(length) < 20 else limits.body_bytes + 1, limits)
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise RequestError(Status.CANCELLED, "the client closed the connection")
            chunk = message.get("body", b"")
            if chunk:
                size += len(chunk)
                check_body(size, limits)
                chunks.append(chunk)
            if not message.get("more_body", False):
                break
        body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        return decompressed(body, self.headers.get("content-encoding", ""), limits)


def decompressed(body: bytes, encoding: str, limits: RequestLimits) -> bytes:
    """The content of a body; raises `RequestError` for unknown encodings, damage, and too much content."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in _WINDOWS:
        raise RequestError(
            Status.UNSUPPORTED, f"Content-Encoding {name[:40]!r} is not supported; use gzip or deflate"
        )
    unpacker = zlib.decompressobj(_WINDOWS[name])
    try:
        content = unpacker.decompress(body, limits.body_bytes + 1)
    except zlib.error as error:
        raise bad_request(f"the {name} body is damaged: {error}") from error
    check_body(len(content), limits)
    if not unpacker.eof or unpacker.unused_data:
        raise bad_request(f"the {name} body is incomplete, or has bytes after its end")
    return content


def accepted_encoding(header: str) -> str | None:
    """gzip or deflate, if the client accepts it."""
    offered = [_REFUSED.sub("", part.replace(" ", "").lower()) for part in header.split(",")]
    names = {part.partition(";")[0] for part in offered}
    return next((name for name in _WINDOWS if name in names), None)


def compressed(body: bytes, encoding: str) -> bytes:
    """The body in an encoding; at the fastest level, as tensors hardly shrink."""
    packer = zlib.compressobj(1, zlib.DEFLATED, _WINDOWS[encoding])
    return packer.compress(body) + packer.flush()


async def send_answer(send: Send, answer: Answer, accept_encoding: str = "") -> None:
    """Send an answer."""
    parts = [answer.body, *answer.tensors]
    headers = [(b"content-type", answer.content_type.encode()), *_pairs(answer.headers.items())]
    encoding = accepted_encoding(accept_encoding) if answer.compress and accept_encoding else None
    if encoding is not None:
        parts = [compressed(b"".join(parts), encoding)]
        headers.append((b"content-encoding", encoding.encode()))
    size = sum(map(len, parts))
    headers.append((b"content-length", str(size).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if size <= _ONE_PART:
        parts = [b"".join(parts)]
    for number, part in enumerate(parts, 1):
        await send({"type": "http.response.body", "body": part, "more_body": number < len(parts)})


def _pairs(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers]
