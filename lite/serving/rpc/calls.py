"""The calls of the protocol, each from a message to a message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from google.protobuf.json_format import ParseDict
from google.protobuf.message import DecodeError, Message

from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.grpc_messages import decode_message, encode_message
from lite.serving.protocol.grpc_tensors import join_response, split_request
from lite.serving.protocol.status import RequestError, Status, bad_request
from lite.serving.request_traces import with_context
from lite.serving.server_settings import log_settings, trace_settings
from lite.serving.service import Service
from lite.serving.web.pages import server_metadata


async def infer(
    service: Service,
    data: bytes,
    seconds: float | None,
    metadata: Iterable[tuple[str, str | bytes]] = (),
) -> bytes:
    """Run a model for the bytes of a `ModelInferRequest`; returns those of a `ModelInferResponse`.

    `seconds` is the time that the client waits, or None, and `metadata` that of the call.
    """
    try:
        message, tensors = split_request(data)
    except DecodeError as error:
        raise damaged(error) from error
    request = decode_message(message, tensors, service.limits, service.memory.read)
    return join_response(*encode_message(await service.infer(with_context(request, metadata), seconds)))


def damaged(error: DecodeError) -> RequestError:
    """The refusal of bytes that are no message; gRPC itself would call it a fault of the server."""
    return bad_request(f"the message is damaged: {error}")


def server_live(service: Service, request: pb.ServerLiveRequest) -> pb.ServerLiveResponse:
    """The server answers, so it is live."""
    return pb.ServerLiveResponse(live=True)


def server_ready(service: Service, request: pb.ServerReadyRequest) -> pb.ServerReadyResponse:
    """Whether all models are ready."""
    return pb.ServerReadyResponse(ready=service.ready)


def model_ready(service: Service, request: pb.ModelReadyRequest) -> pb.ModelReadyResponse:
    """Whether a model is ready; an unknown one is not."""
    return pb.ModelReadyResponse(ready=service.repository.is_ready(request.name, request.version))


def metadata(service: Service, request: pb.ServerMetadataRequest) -> pb.ServerMetadataResponse:
    """Name, version and extensions of the server."""
    return ParseDict(server_metadata(service), pb.ServerMetadataResponse())


def model_metadata(service: Service, request: pb.ModelMetadataRequest) -> pb.ModelMetadataResponse:
    """Inputs and outputs of a model."""
    return ParseDict(service.metadata(request.name, request.version), pb.ModelMetadataResponse())


def model_config(service: Service, request: pb.ModelConfigRequest) -> pb.ModelConfigResponse:
    """The configuration of a model."""
    document = {"config": service.configuration(request.name, request.version)}
    return ParseDict(document, pb.ModelConfigResponse())


def model_statistics(service: Service, request: pb.ModelStatisticsRequest) -> pb.ModelStatisticsResponse:
    """Counts and durations."""
    return ParseDict(service.statistics(request.name, request.version), pb.ModelStatisticsResponse())


def repository_index(service: Service, request: pb.RepositoryIndexRequest) -> pb.RepositoryIndexResponse:
    """All models and their states."""
    return ParseDict({"models": service.repository.index(request.ready)}, pb.RepositoryIndexResponse())


async def load(service: Service, request: pb.RepositoryModelLoadRequest) -> pb.RepositoryModelLoadResponse:
    """Load a model."""
    await service.load(request.model_name, list(request.parameters))
    return pb.RepositoryModelLoadResponse()


async def unload(
    service: Service, request: pb.RepositoryModelUnloadRequest
) -> pb.RepositoryModelUnloadResponse:
    """Unload a model."""
    await service.unload(request.model_name)
    return pb.RepositoryModelUnloadResponse()


def memory_status(
    service: Service, request: pb.SystemSharedMemoryStatusRequest
) -> pb.SystemSharedMemoryStatusResponse:
    """The registered regions."""
    regions = service.memory.status(request.name)
    document = {
        each.name: {"name": each.name, "key": each.key, "offset": each.offset, "byte_size": each.size}
        for each in regions
    }
    return ParseDict({"regions": document}, pb.SystemSharedMemoryStatusResponse())


def memory_register(
    service: Service, request: pb.SystemSharedMemoryRegisterRequest
) -> pb.SystemSharedMemoryRegisterResponse:
    """Register a region."""
    service.memory.register(request.name, request.key, request.offset, request.byte_size)
    return pb.SystemSharedMemoryRegisterResponse()


def memory_unregister(
    service: Service, request: pb.SystemSharedMemoryUnregisterRequest
) -> pb.SystemSharedMemoryUnregisterResponse:
    """Close a region, or all."""
    service.memory.unregister(request.name)
    return pb.SystemSharedMemoryUnregisterResponse()


def cuda_status(
    service: Service, request: pb.CudaSharedMemoryStatusRequest
) -> pb.CudaSharedMemoryStatusResponse:
    """No device of the server has CUDA memory."""
    return pb.CudaSharedMemoryStatusResponse()


def cuda_register(
    service: Service, request: pb.CudaSharedMemoryRegisterRequest
) -> pb.CudaSharedMemoryRegisterResponse:
    """Refuses."""
    raise RequestError(Status.UNSUPPORTED, "CUDA shared memory is not supported")


def cuda_unregister(
    service: Service, request: pb.CudaSharedMemoryUnregisterRequest
) -> pb.CudaSharedMemoryUnregisterResponse:
    """There is nothing to close."""
    return pb.CudaSharedMemoryUnregisterResponse()


def trace_setting(service: Service, request: pb.TraceSettingRequest) -> pb.TraceSettingResponse:
    """The trace settings."""
    changes: dict[str, object] = {
        name: list(setting.value) if name == "trace_level" else "".join(setting.value)
        for name, setting in request.settings.items()
        if setting.value
    }
    response = pb.TraceSettingResponse()
    for name, value in trace_settings(changes).items():
        texts = value if isinstance(value, list) else [str(value)]
        response.settings[name].value.extend(texts)
    return response


def log_setting(service: Service, request: pb.LogSettingsRequest) -> pb.LogSettingsResponse:
    """The log settings."""
    changes: dict[str, object] = {}
    for name, setting in request.settings.items():
        which = setting.WhichOneof("parameter_choice")
        changes[name] = setting.bool_param if which == "bool_param" else None
    response = pb.LogSettingsResponse()
    for name, value in log_settings(changes).items():
        if isinstance(value, bool):
            response.settings[name].bool_param = value
        elif isinstance(value, int):
            response.settings[name].uint32_param = value
        else:
            response.settings[name].string_param = str(value)
    return response


Call = Callable[..., Message | Awaitable[Message]]

CALLS: Mapping[str, tuple[type[Message], Call]] = {
    "ServerLive": (pb.ServerLiveRequest, server_live),
    "ServerReady": (pb.ServerReadyRequest, server_ready),
    "ModelReady": (pb.ModelReadyRequest, model_ready),
    "ServerMetadata": (pb.ServerMetadataRequest, metadata),
    "ModelMetadata": (pb.ModelMetadataRequest, model_metadata),
    "ModelConfig": (pb.ModelConfigRequest, model_config),
    "ModelStatistics": (pb.ModelStatisticsRequest, model_statistics),
    "RepositoryIndex": (pb.RepositoryIndexRequest, repository_index),
    "RepositoryModelLoad": (pb.RepositoryModelLoadRequest, load),
    "RepositoryModelUnload": (pb.RepositoryModelUnloadRequest, unload),
    "SystemSharedMemoryStatus": (pb.SystemSharedMemoryStatusRequest, memory_status),
    "SystemSharedMemoryRegister": (pb.SystemSharedMemoryRegisterRequest, memory_register),
    "SystemSharedMemoryUnregister": (pb.SystemSharedMemoryUnregisterRequest, memory_unregister),
    "CudaSharedMemoryStatus": (pb.CudaSharedMemoryStatusRequest, cuda_status),
    "CudaSharedMemoryRegister": (pb.CudaSharedMemoryRegisterRequest, cuda_register),
    "CudaSharedMemoryUnregister": (pb.CudaSharedMemoryUnregisterRequest, cuda_unregister),
    "TraceSetting": (pb.TraceSettingRequest, trace_setting),
    "LogSettings": (pb.LogSettingsRequest, log_setting),
}
"""The calls except for inference, by name: the class of the request, and the function."""
