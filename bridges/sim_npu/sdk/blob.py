"""The blob: a compiled model as bytes.

=========  =====================================================================
bytes      meaning (little-endian)
=========  =====================================================================
4          ``SNPU``
4          version of this format
8          number of bytes after the header
4          CRC-32 of the bytes after the header
4          zero
4          size of the program
…          the program: JSON in UTF-8
…          the constants, in the order in which the program lists them
=========  =====================================================================
"""

from __future__ import annotations

import dataclasses
import json
import struct
import zlib
from typing import Any

import numpy as np

from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.program import Instruction, Program
from lite.bridges.sim_npu.sdk.tensor import TensorType
from lite.bridges.sim_npu.sdk.version import version

FORMAT = 1
SIZE = struct.Struct("<I")
"""The size of the JSON."""

_MAGIC = b"SNPU"
_HEADER = struct.Struct("<4sIQII")


def pack(program: Program) -> bytes:
    """The blob of a program."""
    content = {**content_of(program), "weights": list(program.weights)}
    text = json.dumps(content, separators=(",", ":")).encode()
    body = [SIZE.pack(len(text)), text, *(data.tobytes() for data in program.weights.values())]
    return with_header(_MAGIC, b"".join(body))


def unpack(blob: bytes) -> Program:
    """The program of a blob; raises `NpuError` for a damaged blob and for one of another major version."""
    content, data = body_of(_MAGIC, blob)
    program = program_of(content)
    offset = 0
    for index in content["weights"]:
        type_ = program.tensors[index]
        array = np.frombuffer(data, type_.dtype, type_.count, offset)
        program.weights[index] = array.reshape(type_.shape)
        offset += type_.nbytes
    return program


def content_of(program: Program) -> dict[str, Any]:
    """A program without its constants, for JSON."""
    return {
        "sdk_version": program.sdk_version,
        "tensors": [[type_.dtype, list(type_.shape)] for type_ in program.tensors],
        "inputs": program.inputs,
        "outputs": program.outputs,
        "instructions": [dataclasses.asdict(each) for each in program.instructions],
    }


def program_of(content: dict[str, Any]) -> Program:
    """The program without its constants; raises `NpuError` for one of another major version."""
    if content["sdk_version"].split(".")[0] != version().split(".")[0]:
        raise NpuError(
            Status.BLOB_VERSION, f"the blob was made by SDK {content['sdk_version']}, this is SDK {version()}"
        )
    tensors = [TensorType(dtype, tuple(shape)) for dtype, shape in content["tensors"]]
    instructions = [Instruction(**each) for each in content["instructions"]]
    return Program(content["sdk_version"], tensors, content["inputs"], content["outputs"], instructions)


def with_header(magic: bytes, body: bytes) -> bytes:
    """Bytes after a header."""
    return _HEADER.pack(magic, FORMAT, len(body), zlib.crc32(body), 0) + body


def body_of(magic: bytes, blob: bytes) -> tuple[dict[str, Any], memoryview]:
    """The JSON and the constants after the header; raises `NpuError` for damaged bytes."""
    if len(blob) < _HEADER.size:
        raise NpuError(
            Status.BLOB_CORRUPT, f"the blob has {len(blob)} bytes, its header alone {_HEADER.size}"
        )
    found, format_, size, checksum, zero = _HEADER.unpack_from(blob)
    if found != magic or zero:
        raise NpuError(Status.BLOB_CORRUPT, "these bytes are not a SimNPU model")
    if format_ != FORMAT:
        raise NpuError(Status.BLOB_VERSION, f"the blob has format {format_}, this SDK reads format {FORMAT}")
    body = memoryview(blob)[_HEADER.size :]
    if len(body) != size:
        raise NpuError(Status.BLOB_CORRUPT, f"expected {size} bytes after the header, got {len(body)}")
    if zlib.crc32(body) != checksum:
        raise NpuError(Status.BLOB_CORRUPT, "the checksum of the blob is wrong")
    (length,) = SIZE.unpack_from(body)
    text = bytes(body[SIZE.size : SIZE.size + length])
    return json.loads(text), body[SIZE.size + length :]
