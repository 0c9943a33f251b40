"""The library: several compiled models as bytes, with each of their constants once.

It has the header of a blob, with ``SNPL`` in place of ``SNPU``.  The JSON lists the programs, whose weights
name constants by number, and the types of the constants, which follow it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.blob import SIZE, body_of, content_of, program_of, with_header
from lite.bridges.sim_npu.sdk.program import Program
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType

_MAGIC = b"SNPL"


def pack_all(programs: Sequence[Program]) -> bytes:
    """The library of programs; equal constants are stored once."""
    numbers: dict[tuple[str, tuple[int, ...], bytes], int] = {}
    contents = []
    for program in programs:
        read = {
            index: numbers.setdefault((str(data.dtype), data.shape, data.tobytes()), len(numbers))
            for index, data in program.weights.items()
        }
        contents.append({**content_of(program), "weights": list(read.items())})
    types = [[dtype, list(shape)] for dtype, shape, _ in numbers]
    text = json.dumps({"programs": contents, "constants": types}, separators=(",", ":")).encode()
    return with_header(_MAGIC, b"".join([SIZE.pack(len(text)), text, *(data for _, _, data in numbers)]))


def unpack_all(blob: bytes) -> list[Program]:
    """The programs of a library, which share the arrays of equal constants.

    Raises `NpuError` for a damaged library and for one of another major version.
    """
    content, data = body_of(_MAGIC, blob)
    constants: list[Array] = []
    offset = 0
    for dtype, shape in content["constants"]:
        type_ = TensorType(dtype, tuple(shape))
        constants.append(np.frombuffer(data, dtype, type_.count, offset).reshape(type_.shape))
        offset += type_.nbytes
    programs = []
    for each in content["programs"]:
        program = program_of(each)
        program.weights.update((index, constants[number]) for index, number in each["weights"])
        programs.append(program)
    return programs
