"""The blob: a compiled model as bytes.

=========  =====================================================================
bytes      meaning (little-endian)
=========  =====================================================================
4          ``SNPU``
4          version of this format
8          how many bytes follow the header
4          CRC-32 of what follows the header
4          zero
4          size of the program
…          the program: JSON in UTF-8
…          the constants, in the order in which the program names them
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
_MAGIC = b"SNPU"
_HEADER = struct.Struct("<4sIQII")
_SIZE = struct.Struct("<I")


def pack(program: Program) -> bytes:
    """The blob of a program."""
    content = {
        "sdk_version": program.sdk_version,
        "tensors": [[found.dtype, list(found.shape)] for found in program.tensors],
        "inputs": program.inputs,
        "outputs": program.outputs,
        "instructions": [dataclasses.asdict(found) for found in program.instructions],
        "weights": list(program.weights),
    }
    text = json.dumps(content, separators=(",", ":")).encode()
    body = b"".join([_SIZE.pack(len(text)), text, *(data.tobytes() for data in program.weights.values())])
    return _HEADER.pack(_MAGIC, FORMAT, len(body), zlib.crc32(body), 0) + body


def unpack(blob: bytes) -> Program:
    """The program of a blob; raises `NpuError` for one that is damaged or of another version."""
    content, data = _opened(blob)
    if content["sdk_version"].split(".")[0] != version().split(".")[0]:
        raise NpuError(
            Status.BLOB_VERSION, f"the blob is of SDK {content['sdk_version']}, this is SDK {version()}"
        )
    tensors = [TensorType(dtype, tuple(shape)) for dtype, shape in content["tensors"]]
    instructions = [Instruction(**found) for found in content["instructions"]]
    program = Program(content["sdk_version"], tensors, content["inputs"], content["outputs"], instructions)
    place = 0
    for index in content["weights"]:
        found = tensors[index]
        array = np.frombuffer(data, found.dtype, found.count, place)
        program.weights[index] = array.reshape(found.shape)
        place += found.nbytes
    return program


def _opened(blob: bytes) -> tuple[dict[str, Any], memoryview]:
    if len(blob) < _HEADER.size:
        raise NpuError(Status.BLOB_CORRUPT, f"a header has {_HEADER.size} bytes, the blob {len(blob)}")
    magic, format_, size, checksum, zero = _HEADER.unpack_from(blob)
    if magic != _MAGIC or zero:
        raise NpuError(Status.BLOB_CORRUPT, "this is no blob of a SimNPU model")
    if format_ != FORMAT:
        raise NpuError(Status.BLOB_VERSION, f"the blob has format {format_}, this SDK reads {FORMAT}")
    body = memoryview(blob)[_HEADER.size :]
    if len(body) != size:
        raise NpuError(Status.BLOB_CORRUPT, f"{size} bytes should follow the header, got {len(body)}")
    if zlib.crc32(body) != checksum:
        raise NpuError(Status.BLOB_CORRUPT, "the checksum is wrong")
    (length,) = _SIZE.unpack_from(body)
    text = bytes(body[_SIZE.size : _SIZE.size + length])
    return json.loads(text), body[_SIZE.size + length :]
