"""Inference requests and responses as protobuf messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Array
from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.datatypes import (
    element_count,
    from_bytes,
    integer_bounds,
    numpy_dtype,
    string_array,
    to_bytes,
)
from lite.serving.protocol.http_request import ReadMemory
from lite.serving.protocol.limits import RequestLimits, check_count, check_tensor
from lite.serving.protocol.messages import InferRequest, InferResponse, Scalar
from lite.serving.protocol.parameters import integer, memory_range, requested_output
from lite.serving.protocol.status import bad_request

_FIELDS = {
    "BOOL": "bool_contents",
    "INT8": "int_contents",
    "INT16": "int_contents",
    "INT32": "int_contents",
    "INT64": "int64_contents",
    "UINT8": "uint_contents",
    "UINT16": "uint_contents",
    "UINT32": "uint_contents",
    "UINT64": "uint64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
    "BYTES": "bytes_contents",
}
"""The typed field of each datatype that has one."""


def decode_message(
    message: pb.ModelInferRequest,
    tensors: Sequence[bytes | memoryview],
    limits: RequestLimits,
    read_memory: ReadMemory,
) -> InferRequest:
    """The request in a message and its `raw_input_contents`; raises `RequestError` for every fault of it."""
    check_count("inputs", len(message.inputs), limits.tensors)
    check_count("outputs", len(message.outputs), limits.tensors)
    for text in (message.id, message.model_name, message.model_version):
        check_count("bytes in a name or id", len(text), limits.name_bytes)
    if not message.inputs:
        raise bad_request("the request has no inputs")
    blobs = list(tensors)
    is_raw = bool(blobs)
    inputs: dict[str, Array] = {}
    for entry in message.inputs:
        if entry.name in inputs:
            raise bad_request(f"input {entry.name[:80]!r} occurs twice")
        check_count("bytes in a name", len(entry.name), limits.name_bytes)
        shape = check_tensor(entry.name, entry.datatype, list(entry.shape))
        memory = memory_range(_parameters(entry.parameters)) if entry.parameters else None
        if memory is not None:
            data: bytes | memoryview = read_memory(memory)
        elif is_raw:
            if not blobs:
                raise bad_request("raw_input_contents has fewer tensors than inputs")
            if entry.HasField("contents"):
                raise bad_request(f"input {entry.name!r} has contents and raw_input_contents")
            data = blobs.pop(0)
        else:
            inputs[entry.name] = _from_contents(entry, shape)
            continue
        inputs[entry.name] = from_bytes(entry.name, entry.datatype, shape, data)
    if blobs:
        raise bad_request("raw_input_contents has more tensors than inputs")
    parameters = _parameters(message.parameters)
    outputs = [
        requested_output(output.name, _parameters(output.parameters), True) for output in message.outputs
    ]
    if len({output.name for output in outputs}) != len(outputs):
        raise bad_request("an output is requested twice")
    return InferRequest(
        message.model_name,
        message.model_version,
        message.id,
        inputs,
        tuple(outputs),
        True,
        integer(parameters, "priority"),
        integer(parameters, "timeout"),
        parameters,
    )


def encode_message(response: InferResponse) -> tuple[pb.ModelInferResponse, list[bytes | memoryview]]:
    """The message of a response without `raw_output_contents`, and these."""
    message = pb.ModelInferResponse(model_name=response.model, model_version=response.version, id=response.id)
    tensors: list[bytes | memoryview] = []
    for output in response.outputs:
        entry = message.outputs.add(name=output.name, datatype=output.datatype, shape=output.shape)
        if output.memory is not None:
            entry.parameters["shared_memory_region"].string_param = output.memory.region
            entry.parameters["shared_memory_offset"].int64_param = output.memory.offset
            entry.parameters["shared_memory_byte_size"].int64_param = output.memory.size
        # A tensor in shared memory has no bytes here, but clients count the entries.
        tensors.append(b"" if output.array is None else to_bytes(output.array))
    return message, tensors


def _from_contents(entry: pb.ModelInferRequest.InferInputTensor, shape: list[int]) -> Array:
    name, datatype = entry.name, entry.datatype
    field = _FIELDS.get(datatype)
    if field is None:
        raise bad_request(f"input {name!r}: contents cannot hold {datatype}; send raw_input_contents")
    filled = [descriptor.name for descriptor, _ in entry.contents.ListFields()]
    if filled not in ([], [field]):
        raise bad_request(f"input {name!r}: {datatype} is in {field} of contents, got {', '.join(filled)}")
    values = entry.contents.ListFields()[0][1] if filled else []
    if len(values) != element_count(shape):
        raise bad_request(
            f"input {name!r}: shape {shape} takes {element_count(shape)} elements, got {len(values)}"
        )
    if datatype == "BYTES":
        return string_array(list(values), shape)
    dtype = numpy_dtype(datatype)
    found = np.array(values, np.int64 if field == "int_contents" else dtype)
    if field == "uint_contents":
        found = np.array(values, np.int64)
    if dtype.kind in "iu" and found.dtype != dtype and found.size:
        bounds = integer_bounds(dtype)
        if found.min() < bounds[0] or found.max() > bounds[1]:
            raise bad_request(f"input {name!r}: {datatype} cannot hold all elements of {field}")
    return found.astype(dtype, copy=False).reshape(shape)


def _parameters(fields: Mapping[str, pb.InferParameter]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for name, parameter in fields.items():
        which = parameter.WhichOneof("parameter_choice")
        if which is None:
            raise bad_request(f"parameter {name[:40]!r} has no value")
        match which:
            case "bool_param":
                values[name] = parameter.bool_param
            case "int64_param":
                values[name] = parameter.int64_param
            case "string_param":
                values[name] = parameter.string_param
            case "double_param":
                values[name] = parameter.double_param
            case _:
                values[name] = parameter.uint64_param
    return values
