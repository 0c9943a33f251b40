"""The applications of Ray Serve: one for each model, and one ingress with the protocol.

A Serve config names `model` and `ingress`; `lite.ray.deploy` runs them for ``litebridge serve --ray``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any

from lite.errors import ConfigError
from lite.ray.model_replica import ModelReplica
from lite.ray.remote_service import RemoteService
from lite.serving.access import Access
from lite.serving.protocol.status import RequestError
from lite.serving.repository.folders import find_models
from lite.serving.repository.repository import Repository
from lite.serving.rpc.calls import CALLS, infer
from lite.serving.rpc.server import answer_stream, parsed
from lite.serving.scheduling.scheduler import Scheduler
from lite.serving.web.app import HttpApp
from lite.serving.web.exchange import Message, Receive, Scope, Send

if TYPE_CHECKING:
    from ray.serve import Application

PREFIX = "model-"
"""The application of a model is called after it."""

_APP: list[HttpApp] = []
"""The HTTP application of this replica of the ingress."""


class _Door:
    """The application that Ray wraps before the replica exists."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _APP[0](scope, receive, lambda message: send(_picklable(message)))


def _picklable(message: Message) -> Message:
    """The message with bytes in place of views, which Ray's default proxy cannot send to another process."""
    return {**message, "body": bytes(message["body"])} if "body" in message else message


class _Encoded(bytes):
    """A message that is encoded already; Ray calls the method of protobuf's messages."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
        """The message."""
        return bytes(self)


class _Ingress:
    """Answers HTTP through `_Door`, and inference by gRPC; `Ingress` adds the other calls."""

    async def __init__(  # type: ignore[misc]  # Ray awaits it
        self, models: list[str], ensembles: dict[str, str], token: str | None, explicit: bool
    ) -> None:
        from ray import serve

        loop = asyncio.get_running_loop()

        def later(seconds: float, call: Callable[[], None]) -> None:
            loop.call_soon_threadsafe(loop.call_later, seconds, call)

        scheduler = Scheduler(1, later)
        folders = find_models([f"{name}={path}" for name, path in ensembles.items()])
        self._service = RemoteService(Repository(folders, {}, scheduler), scheduler, explicit=explicit)
        for name in models:
            await self._service.add(name, serve.get_app_handle(PREFIX + name))
        failed = self._service.repository.load_all()
        if failed:
            raise ConfigError("; ".join(failed.values()))
        self._access = Access(token)
        _APP[:] = [HttpApp(self._service, self._access)]

    async def ModelInfer(self, request: bytes, grpc_context: Any) -> Any:  # noqa: N802 - the protocol's name
        """The call of the protocol."""
        try:
            self._check(grpc_context)
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
    import inspect

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


def model(args: Mapping[str, Any]) -> Application:
    """The application of a model; its route prefix must be null.

    args: name, path, and optionally engine (fields of `Config`), workers (threads of a replica, 1) and
        options of the deployment, such as num_replicas, which config.yaml may have under ``ray``, too.
    """
    from ray import serve

    known = {"name", "path", "engine", "workers", "options"}
    if not {"name", "path"} <= set(args) <= known:
        raise ConfigError(f"a model takes {', '.join(sorted(known))} and needs name, path; got {dict(args)}")
    name, path, engine = str(args["name"]), str(args["path"]), dict(args.get("engine", {}))
    [folder] = find_models([f"{name}={path}"]).values()
    options = {"max_ongoing_requests": 32, **folder.settings(engine).ray, **args.get("options", {})}
    deployment = serve.deployment(ModelReplica, name=name).options(**options)
    return deployment.bind(name, path, engine, int(args.get("workers", 1)))


def ingress(args: Mapping[str, Any]) -> Application:
    """The application with the protocol, at the route prefix ``/``.

    args: models (the names of those that `model` runs), and optionally ensembles (paths by name, which the
        ingress runs itself), token, explicit (clients may load and unload models, with one replica of the
        ingress), and options of the deployment.
    """
    from ray import serve

    deployment = serve.deployment(serve.ingress(_Door())(Ingress), name="ingress")
    options = {"max_ongoing_requests": 1000, **args.get("options", {})}
    return deployment.options(**options).bind(
        list(args["models"]), dict(args.get("ensembles", {})), args.get("token"), args.get("explicit") is True
    )


def _refused(context: Any, error: RequestError) -> RequestError:
    """Sets the code before the error is raised: without it, Ray reports every error as internal."""
    import grpc

    context.set_code(grpc.StatusCode[error.status.grpc])
    context.set_details(str(error))
    return error
