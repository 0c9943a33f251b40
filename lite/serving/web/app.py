"""The ASGI application: the protocol over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lite.serving.access import Access
from lite.serving.protocol.http_request import decode_request, parse_header_length, parse_json
from lite.serving.protocol.http_response import encode_json, encode_response
from lite.serving.protocol.messages import InferRequest, InferResponse
from lite.serving.protocol.status import RequestError, Status
from lite.serving.request_traces import with_context
from lite.serving.server_settings import log_settings, trace_settings
from lite.serving.service import Service
from lite.serving.web.exchange import Answer, Exchange, Receive, Scope, Send, send_answer
from lite.serving.web.pages import answer_page, server_metadata
from lite.serving.web.raw_tensor import raw_request

_WATCH_AFTER = 0.02
"""Seconds after which the server looks whether the client has closed the connection."""

_HEADER_LENGTH = "inference-header-content-length"


class HttpApp:
    """Answers HTTP requests; every error is a JSON object with the key ``error``."""

    def __init__(self, service: Service, access: Access) -> None:
        self._service = service
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The interface of ASGI."""
        if scope["type"] != "http":
            return
        exchange = Exchange.of(scope, receive)
        try:
            self._access.check_http(exchange.path, exchange.headers)
            answer = await self._answer(exchange)
        except RequestError as error:
            answer = error_answer(error)
        await send_answer(send, answer, exchange.headers.get("accept-encoding", ""))

    async def _answer(self, exchange: Exchange) -> Answer:
        parts = [part for part in exchange.path.split("/") if part]
        if parts[:1] != ["v2"]:
            return answer_page(self._service, exchange.method, exchange.path)
        service = self._service
        post = exchange.method == "POST"
        match parts[1:]:
            case ["models", name, "infer"]:
                return await self._infer(exchange, name, "")
            case ["models", name, "versions", version, "infer"]:
                return await self._infer(exchange, name, version)
            case []:
                return _json(server_metadata(service))
            case ["health", "live"]:
                return Answer(200)
            case ["health", "ready"]:
                return Answer(200 if service.ready else 400)
            case ["models", "stats"]:
                return _json(service.statistics())
            case ["models", name] | ["models", name, "versions", _] if not post:
                return _json(service.metadata(name, _version(parts)))
            case ["models", name, *_, what] if what in ("ready", "config", "stats"):
                return self._about_model(name, _version(parts), what)
            case ["models", _, "trace", "setting"] | ["trace", "setting"]:
                return _json(trace_settings(await self._document(exchange) if post else {}))
            case ["logging"]:
                return _json(log_settings(await self._document(exchange) if post else {}))
            case ["repository", "index"]:
                _require(exchange, "POST")
                document = await self._document(exchange)
                return _json(service.repository.index(document.get("ready") is True))
            case ["repository", "models", name, "load"]:
                _require(exchange, "POST")
                document = await self._document(exchange)
                parameters = document.get("parameters")
                await service.load(name, list(parameters) if isinstance(parameters, dict) else [])
                return Answer(200)
            case ["repository", "models", name, "unload"]:
                _require(exchange, "POST")
                await exchange.body(service.limits)
                await service.unload(name)
                return Answer(200)
            case ["systemsharedmemory", *rest]:
                return await self._memory(exchange, rest)
            case ["cudasharedmemory", *rest] if rest[-1:] == ["status"]:
                return _json([])
            case ["cudasharedmemory", *rest] if rest[-1:] == ["unregister"]:
                return Answer(200)
        raise RequestError(Status.NOT_FOUND, f"nothing at {exchange.path[:200]!r}")

    async def _infer(self, exchange: Exchange, name: str, version: str) -> Answer:
        _require(exchange, "POST")
        with self._service.count():
            return await self._inferred(exchange, name, version)

    async def _inferred(self, exchange: Exchange, name: str, version: str) -> Answer:
        service = self._service
        service.repository.get(name, version)
        body = await exchange.body(service.limits)
        length = parse_header_length(exchange.headers.get(_HEADER_LENGTH))
        if length == 0:
            request = raw_request(service.repository.get(name, version), version, body)
        else:
            request = decode_request(name, version, body, length, service.limits, service.memory.read)
        request = with_context(request, exchange.headers.items())
        response = await _while_connected(exchange, service, request)
        text, tensors = encode_response(response)
        if tensors is None:
            return Answer(200, text, compress=True)
        headers = {"Inference-Header-Content-Length": str(len(text))}
        return Answer(200, text, "application/octet-stream", headers, compress=True, tensors=tensors)

    def _about_model(self, name: str, version: str, what: str) -> Answer:
        service = self._service
        if what == "ready":
            ready = service.repository.is_ready(name, version)
            return Answer(200) if ready else _error(400, f"model {name[:80]!r} is not ready")
        if what == "config":
            return _json(service.configuration(name, version))
        return _json(service.statistics(name, version))

    async def _memory(self, exchange: Exchange, rest: Sequence[str]) -> Answer:
        memory = self._service.memory
        match rest:
            case ["status"] | ["region", _, "status"]:
                regions = memory.status(rest[1] if len(rest) == 3 else "")
                return _json(
                    [
                        {"name": each.name, "key": each.key, "offset": each.offset, "byte_size": each.size}
                        for each in regions
                    ]
                )
            case ["region", name, "register"]:
                _require(exchange, "POST")
                document = await self._document(exchange)
                key, offset, size = (document.get(each, 0) for each in ("key", "offset", "byte_size"))
                if not (isinstance(key, str) and isinstance(offset, int) and isinstance(size, int)):
                    raise RequestError(Status.BAD_REQUEST, "register: expected key, offset and byte_size")
                memory.register(name, key, offset, size)
                return Answer(200)
            case ["unregister"] | ["region", _, "unregister"]:
                _require(exchange, "POST")
                await exchange.body(self._service.limits)
                memory.unregister(rest[1] if len(rest) == 3 else "")
                return Answer(200)
        raise RequestError(Status.NOT_FOUND, f"nothing at {exchange.path[:200]!r}")

    async def _document(self, exchange: Exchange) -> dict[str, object]:
        body = await exchange.body(self._service.limits)
        return parse_json(body, self._service.limits) if body.strip() else {}


def error_answer(error: RequestError) -> Answer:
    """The answer to a request that failed."""
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    if error.status is Status.UNAUTHENTICATED:
        headers["WWW-Authenticate"] = "Bearer"
    return Answer(error.status.http, encode_json({"error": str(error)}), headers=headers)


async def _while_connected(exchange: Exchange, service: Service, request: InferRequest) -> InferResponse:
    """Run a model; if the client closes the connection, the request is cancelled."""
    task = asyncio.current_task()
    watcher: asyncio.Task[None] | None = None

    async def watch() -> None:
        message = await exchange.receive()
        if message["type"] == "http.disconnect" and task is not None:
            task.cancel()

    def begin() -> None:
        nonlocal watcher
        watcher = asyncio.ensure_future(watch())

    timer = asyncio.get_running_loop().call_later(_WATCH_AFTER, begin)
    try:
        return await service.infer(request)
    except asyncio.CancelledError as error:
        if watcher is None or not watcher.done():
            raise
        raise RequestError(Status.CANCELLED, "the client closed the connection") from error
    finally:
        timer.cancel()
        if watcher is not None:
            watcher.cancel()


def _json(document: object) -> Answer:
    return Answer(200, encode_json(document))


def _error(status: int, message: str) -> Answer:
    return Answer(status, encode_json({"error": message}))


def _version(parts: Sequence[str]) -> str:
    return parts[4] if len(parts) > 4 and parts[3] == "versions" else ""


def _require(exchange: Exchange, method: str) -> None:
    if exchange.method != method:
        raise RequestError(Status.WRONG_METHOD, f"{exchange.path[:200]!r} takes {method}")
