"""The deployment that answers requests: the protocol over HTTP and gRPC, on Ray Serve."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lite.cores import usable_cores
from lite.errors import ConfigError
from lite.ray.remote_service import RemoteService
from lite.serving.access import Access
from lite.serving.awake import AWAKE_SECONDS
from lite.serving.embedded import default_workers
from lite.serving.protocol.status import RequestError
from lite.serving.repository.folders import find_models
from lite.serving.repository.repository import Repository
from lite.serving.rpc.calls import CALLS, infer
from lite.serving.rpc.server import answer_stream, parsed
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.web.app import HttpApp
from lite.serving.web.exchange import Message, Receive, Scope, Send

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle

_APP: list[HttpApp] = []
"""The HTTP application of this replica of the ingress."""

_HAS_DIRECT_SERVERS = os.environ.get("RAY_SERVE_ENABLE_HA_PROXY") == "1"
"""Whether HAProxy sends requests to servers in the replicas themselves."""


class Door:
    """The application that Ray wraps before the replica exists."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The interface of ASGI."""
        if scope["type"] == "http":
            await _APP[0](scope, receive, send if _HAS_DIRECT_SERVERS else _pickling(send))


def _pickling(send: Send) -> Send:
    """`send` with bytes in place of views, which Ray's default proxy cannot send to another process."""

    def pickled(message: Message) -> Awaitable[None]:
        return send({**message, "body": bytes(message["body"])} if "body" in message else message)

    return pickled


class _Encoded(bytes):
    """A message that is encoded already; Ray calls the method of protobuf's messages."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
        """The message."""
        return bytes(self)


class _Ingress:
    """Answers HTTP through `Door`, and inference by gRPC; `Ingress` adds the other calls."""

    async def __init__(  # type: ignore[misc]  # Ray awaits it
        self,
        models: dict[str, DeploymentHandle],
        inside: dict[str, str],
        engine: dict[str, object],
        workers: int | None,
        token: str | None,
        explicit: bool,
    ) -> None:
        loop = asyncio.get_running_loop()

        def later(seconds: float, call: Callable[[], None]) -> None:
            loop.call_soon_threadsafe(loop.call_later, seconds, call)

        scheduler = Scheduler(workers or default_workers(engine), later)
        folders = find_models([f"{name}={path}" for name, path in inside.items()])
        repository = Repository(folders, engine, scheduler)
        awake = AWAKE_SECONDS if usable_cores() > 1 else 0.0
        self._service = RemoteService(repository, scheduler, explicit=explicit, awake=awake)
        for name, handle in models.items():
            await self._service.add(name, handle)
        failed = self._service.repository.load_all()
        if failed:
            raise ConfigError("; ".join(failed.values()))
        self._access = Access(token)
        _APP[:] = [HttpApp(self._service, self._access)]

    async def ModelInfer(self, request: bytes, grpc_context: Any) -> Any:  # noqa: N802 - the protocol's name
        """The call of the protocol."""
        try:
            self._check(grpc_context)
            with self._service.count():
                return _Encoded(await infer(self._service, request, None))
        except RequestError as error:
            raise _refused(grpc_context, error) from error

    async def ModelStreamInfer(self, request_stream: Any, grpc_context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """The call of the protocol."""
        self._check(grpc_context)
        async for response in answer_stream(self._service, request_stream):
            yield _Encoded(response)

    def _check(self, context: Any) -> None:
        metadata = dict(context.invocation_metadata() or ())
        self._access.check_token(str(metadata.get("authorization", "")))


def _call(name: str) -> Any:
    request_class, call = CALLS[name]

    async def answer(self: _Ingress, request: bytes, grpc_context: Any) -> Any:
        try:
            self._check(grpc_context)
            result = call(self._service, parsed(request_class, request))
            return await result if inspect.isawaitable(result) else result
        except RequestError as error:
            raise _refused(grpc_context, error) from error

    answer.__name__ = name
    return answer


Ingress = type("Ingress", (_Ingress,), {name: _call(name) for name in CALLS})
"""The ingress with all calls of the protocol."""


def _refused(context: Any, error: RequestError) -> RequestError:
    """Sets the code before the error is raised: without it, Ray reports every error as internal."""
    import grpc

    context.set_code(grpc.StatusCode[error.status.grpc])
    context.set_details(str(error))
    if error.retry_after is not None:
        context.set_trailing_metadata([("retry-after", str(error.retry_after))])
    return error
