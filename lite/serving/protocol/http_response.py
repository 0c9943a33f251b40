"""Inference responses as HTTP bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.serving.protocol.datatypes import BINARY_ONLY, to_bytes
from lite.serving.protocol.messages import InferResponse, ResultTensor
from lite.serving.protocol.status import bad_request


def encode_json(document: object) -> bytes:
    """A JSON document; arrays are flat lists, and NaN and infinities are null."""
    import orjson

    return orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY)


def encode_response(response: InferResponse) -> tuple[bytes, list[bytes | memoryview] | None]:
    """The JSON of a body and the binary tensors after it, or None if the body is all JSON.

    Raises `RequestError` if JSON cannot hold an output.
    """
    blobs: list[bytes | memoryview] = []
    outputs = [_entry(output, blobs) for output in response.outputs]
    head: dict[str, Any] = {"model_name": response.model, "model_version": response.version}
    if response.id:
        head["id"] = response.id
    head["outputs"] = outputs
    text = encode_json(head)
    return text, blobs if any(output.binary for output in response.outputs) else None


def _entry(output: ResultTensor, blobs: list[bytes | memoryview]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": output.name,
        "datatype": output.datatype,
        "shape": list(output.shape),
    }
    if output.memory is not None:
        entry["parameters"] = {
            "shared_memory_region": output.memory.region,
            "shared_memory_offset": output.memory.offset,
            "shared_memory_byte_size": output.memory.size,
        }
    elif output.array is not None and output.binary:
        blobs.append(to_bytes(output.array))
        entry["parameters"] = {"binary_data_size": len(blobs[-1])}
    elif output.array is not None:
        entry["data"] = _data(output, output.array)
    return entry


def _data(output: ResultTensor, array: Array) -> object:
    if output.datatype in BINARY_ONLY:
        raise bad_request(f"output {output.name!r}: JSON cannot hold {output.datatype}; request binary_data")
    if output.datatype != "BYTES":
        return np.ascontiguousarray(array).reshape(-1)
    try:
        return [item if isinstance(item, str) else bytes(item).decode() for item in array.flat]
    except UnicodeDecodeError as error:
        raise bad_request(
            f"output {output.name!r}: a string is not UTF-8, which JSON cannot hold; request binary_data"
        ) from error
