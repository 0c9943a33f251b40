"""The gRPC server: Triton's service name, on messages of a private package."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from google.protobuf.message import DecodeError, Message

from lite.errors import ConfigError
from lite.serving.access import Access
from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.grpc_tensors import stream_response
from lite.serving.protocol.status import RequestError
from lite.serving.rpc.calls import CALLS, Call, damaged, infer
from lite.serving.service import Service

if TYPE_CHECKING:
    import grpc
    import grpc.aio

    Context = grpc.aio.ServicerContext[Any, Any]

T = TypeVar("T")
M = TypeVar("M", bound=Message)

SERVICE = "inference.GRPCInferenceService"
_OPEN_CALLS = ("ServerLive", "ServerReady")
_STREAM_AHEAD = 32
"""Requests of a stream that run at the same time; their answers come in the order of the requests."""


def create_server(
    service: Service, access: Access, address: str, tls: tuple[Path, Path] | None
) -> tuple[grpc.aio.Server, int]:
    """A server that is bound to an address (not started), and its port.

    tls: the files of the certificate and its key.  Raises `ConfigError` if the address is in use.
    """
    import grpc
    import grpc.aio

    size = service.limits.body_bytes
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", size),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_metadata_size", 16 << 10),
            ("grpc.so_reuseport", 0),
        ],
        maximum_concurrent_rpcs=4096,
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, _handlers(service, access)),)
    )
    try:
        if tls is None:
            port = server.add_insecure_port(address)
        else:
            certificate, key = (path.read_bytes() for path in tls)
            port = server.add_secure_port(address, grpc.ssl_server_credentials([(key, certificate)]))
    except RuntimeError as error:
        raise ConfigError(f"gRPC cannot use {address}: {error}; choose another --grpc-port") from error
    return server, port


def _handlers(service: Service, access: Access) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
    import grpc

    async def unary_infer(data: bytes, context: Context) -> bytes:
        async def answer() -> bytes:
            with service.count():
                metadata = context.invocation_metadata() or ()
                return await infer(service, data, context.time_remaining(), metadata)

        return await _guarded(context, access, answer)

    async def stream_infer(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        await _guarded(context, access, _nothing)
        async for response in answer_stream(service, requests):
            yield response

    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "ModelInfer": grpc.unary_unary_rpc_method_handler(unary_infer),
        "ModelStreamInfer": grpc.stream_stream_rpc_method_handler(stream_infer),
    }
    for name, (request_class, call) in CALLS.items():
        handlers[name] = grpc.unary_unary_rpc_method_handler(
            _unary(service, None if name in _OPEN_CALLS else access, request_class, call), None, _serialized
        )
    return handlers


def _unary(
    service: Service, access: Access | None, request_class: type[Message], call: Call
) -> Callable[[bytes, Context], Awaitable[Message]]:
    async def handle(data: bytes, context: Context) -> Message:
        async def answer() -> Message:
            result = call(service, parsed(request_class, data))
            return await result if inspect.isawaitable(result) else result

        return await _guarded(context, access, answer)

    return handle


async def _guarded(context: Context, access: Access | None, answer: Callable[[], Awaitable[T]]) -> T:
    """The answer; a `RequestError` ends the call with its code."""
    try:
        if access is not None and access.token is not None:
            metadata = dict(context.invocation_metadata() or ())
            access.check_token(str(metadata.get("authorization", "")))
        return await answer()
    except RequestError as error:
        await _abort(context, error)
        raise


async def _abort(context: Context, error: RequestError) -> None:
    import grpc

    if error.retry_after is not None:
        context.set_trailing_metadata((("retry-after", str(error.retry_after)),))
    await context.abort(grpc.StatusCode[error.status.grpc], str(error))


async def answer_stream(service: Service, requests: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Each a `ModelStreamInferResponse`, in the order of the requests.

    An error is an answer, and the stream goes on.
    """
    pending: asyncio.Queue[asyncio.Task[bytes] | None] = asyncio.Queue(_STREAM_AHEAD)

    async def read() -> None:
        async for data in requests:
            await pending.put(asyncio.ensure_future(_stream_answer(service, data)))
        await pending.put(None)

    reader = asyncio.ensure_future(read())
    try:
        while (task := await pending.get()) is not None:
            yield await task
    finally:
        reader.cancel()
        while not pending.empty():
            rest = pending.get_nowait()
            if rest is not None:
                rest.cancel()


async def _stream_answer(service: Service, data: bytes) -> bytes:
    try:
        return stream_response(await infer(service, data, None))
    except RequestError as error:
        request = pb.ModelInferRequest()
        with contextlib.suppress(DecodeError):
            request.ParseFromString(data)
        failed = pb.ModelInferResponse(id=request.id, model_name=request.model_name)
        response = pb.ModelStreamInferResponse(error_message=str(error), infer_response=failed)
        return response.SerializeToString()


def parsed(request_class: type[M], data: bytes) -> M:
    """The message; raises `RequestError` for damaged bytes."""
    try:
        return request_class.FromString(data)
    except DecodeError as error:
        raise damaged(error) from error


async def _nothing() -> None:
    return None


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()
