"""Inference requests in HTTP bodies: JSON, or a JSON head with binary tensors after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.serving.protocol.datatypes import (
    BINARY_ONLY,
    element_count,
    from_bytes,
    integer_bounds,
    numpy_dtype,
    string_array,
)
from lite.serving.protocol.limits import RequestLimits, check_count, check_tensor
from lite.serving.protocol.messages import InferRequest, MemoryRange, Scalar
from lite.serving.protocol.parameters import flag, integer, memory_range, requested_output
from lite.serving.protocol.status import RequestError, Status, bad_request

ReadMemory = Callable[[MemoryRange], bytes]
"""Reads a part of a shared memory region."""


def parse_json(data: bytes | memoryview, limits: RequestLimits) -> dict[str, Any]:
    """A JSON object; raises `RequestError` for anything else, and for too many lists and objects."""
    import orjson

    text = bytes(data)
    check_count("lists and objects in JSON", text.count(b"[") + text.count(b"{"), limits.containers)
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the JSON text is invalid: {error}") from error
    if not isinstance(document, dict):
        raise bad_request("expected a JSON object")
    return document


def decode_request(
    model: str,
    version: str,
    body: bytes,
    header_length: int | None,
    limits: RequestLimits,
    read_memory: ReadMemory,
) -> InferRequest:
    """The request in a body.

    header_length: the size of the JSON head, after which the binary tensors follow; None if the body is JSON.
    Raises `RequestError` for every fault of the body.
    """
    if header_length is not None and not 0 < header_length <= len(body):
        raise bad_request(
            f"Inference-Header-Content-Length is {header_length}, but the body has {len(body)} bytes"
        )
    view = memoryview(body)
    document = parse_json(body if header_length is None else view[:header_length], limits)
    parameters = _parameters(document)
    blobs = _Blobs(view[len(body) if header_length is None else header_length :])
    inputs: dict[str, Array] = {}
    entries = _entries(document, "inputs", limits)
    if not entries:
        raise bad_request("the request has no inputs")
    for entry in entries:
        name = _text(entry, "name", limits)
        if name in inputs:
            raise bad_request(f"input {name!r} occurs twice")
        inputs[name] = _tensor(name, entry, blobs, read_memory, limits)
    if blobs.left:
        raise bad_request(f"{blobs.left} bytes are left after the last binary input")
    binary = flag(parameters, "binary_data_output")
    outputs = [
        requested_output(_text(entry, "name", limits), _parameters(entry), binary)
        for entry in _entries(document, "outputs", limits)
    ]
    if len({output.name for output in outputs}) != len(outputs):
        raise bad_request("an output is requested twice")
    return InferRequest(
        model,
        version,
        _text(document, "id", limits, ""),
        inputs,
        tuple(outputs),
        binary,
        integer(parameters, "priority"),
        integer(parameters, "timeout"),
        parameters,
    )


class _Blobs:
    """The binary tensors after the JSON head, in the order of the inputs."""

    def __init__(self, data: memoryview) -> None:
        self._data = data

    @property
    def left(self) -> int:
        return len(self._data)

    def take(self, name: str, size: int) -> memoryview:
        if size > len(self._data):
            raise bad_request(f"input {name!r}: binary_data_size is {size}, but {self.left} bytes are left")
        taken, self._data = self._data[:size], self._data[size:]
        return taken


def _tensor(
    name: str, entry: Mapping[str, Any], blobs: _Blobs, read_memory: ReadMemory, limits: RequestLimits
) -> Array:
    datatype = _text(entry, "datatype", limits)
    shape = entry.get("shape")
    if not isinstance(shape, list):
        raise bad_request(f"input {name!r}: the shape is missing")
    sizes = check_tensor(name, datatype, shape)
    parameters = _parameters(entry)
    memory = memory_range(parameters)
    if memory is not None:
        return from_bytes(name, datatype, sizes, read_memory(memory))
    if "binary_data_size" in parameters:
        return from_bytes(name, datatype, sizes, blobs.take(name, integer(parameters, "binary_data_size")))
    if "data" not in entry:
        raise bad_request(f"input {name!r} has neither data nor binary_data_size")
    return _from_json(name, datatype, sizes, entry["data"])


def _from_json(name: str, datatype: str, shape: Sequence[int], data: object) -> Array:
    """The elements of a list, flat or nested, in row-major order."""
    if not isinstance(data, list):
        raise bad_request(f"input {name!r}: data is not a list")
    if datatype in BINARY_ONLY:
        raise bad_request(f"input {name!r}: JSON cannot hold {datatype}; send binary data")
    if datatype == "BYTES":
        return _strings(name, shape, data)
    # numpy would give each element the space of the longest text.
    if _has_text(data):
        raise bad_request(f"input {name!r}: the elements of data are not of {datatype}")
    wanted = numpy_dtype(datatype)
    try:
        found = np.asarray(data)
        if datatype == "UINT64" and found.dtype.kind == "f":
            found = _large_integers(data, found)
    except (ValueError, OverflowError, TypeError, RuntimeError) as error:
        raise bad_request(f"input {name!r}: the lists of data have unequal lengths") from error
    kinds = {"b": "b", "u": "iu", "i": "iu"}.get(wanted.kind, "iuf")
    if found.size != element_count(shape):
        raise bad_request(
            f"input {name!r}: shape {list(shape)} takes {element_count(shape)} elements, got {found.size}"
        )
    if found.size and found.dtype.kind not in kinds:
        raise bad_request(f"input {name!r}: the elements of data are not of {datatype}")
    if wanted.kind in "iu" and found.size:
        bounds = integer_bounds(wanted)
        if int(found.min()) < bounds[0] or int(found.max()) > bounds[1]:
            raise bad_request(f"input {name!r}: {datatype} cannot hold all elements of data")
    with np.errstate(over="ignore"):
        return found.astype(wanted).reshape(shape)


def _has_text(data: list[Any]) -> bool:
    """Whether a list, or one within it, has a string."""
    stack = [data]
    while stack:
        items = stack.pop()
        kinds = set(map(type, items))
        if str in kinds:
            return True
        if list in kinds:
            stack.extend(item for item in items if type(item) is list)
    return False


def _large_integers(data: list[Any], found: Array) -> Array:
    """Integers that numpy reads as floats, because some are above those of int64; else `found`."""
    items = np.asarray(data, object)
    whole = all(type(item) is int and 0 <= item < 2**64 for item in items.flat)
    return items.astype(np.uint64) if whole else found


def _strings(name: str, shape: Sequence[int], data: list[Any]) -> Array:
    items: list[bytes] = []
    stack: list[Any] = data[::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, str):
            items.append(item.encode())
        else:
            raise bad_request(f"input {name!r}: the elements of data are not strings")
    if len(items) != element_count(shape):
        raise bad_request(
            f"input {name!r}: shape {list(shape)} takes {element_count(shape)} strings, got {len(items)}"
        )
    return string_array(items, shape)


def _entries(document: Mapping[str, Any], key: str, limits: RequestLimits) -> list[Mapping[str, Any]]:
    entries = document.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise bad_request(f"{key}: expected a list of objects")
    check_count(key, len(entries), limits.tensors)
    return entries


def _text(entry: Mapping[str, Any], key: str, limits: RequestLimits, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise bad_request(f"{key}: expected a string")
    check_count(f"bytes in {key}", len(value.encode()), limits.name_bytes)
    return value


def _parameters(entry: Mapping[str, Any]) -> dict[str, Scalar]:
    parameters = entry.get("parameters", {})
    if not isinstance(parameters, dict):
        raise bad_request("parameters: expected an object")
    for name, value in parameters.items():
        if not isinstance(value, str | int | float | bool):
            raise bad_request(f"parameter {name[:40]!r}: expected a string, a number, true or false")
    return parameters


def parse_header_length(text: str | None) -> int | None:
    """The value of Inference-Header-Content-Length; raises `RequestError` if it is not a number."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise RequestError(
            Status.BAD_REQUEST, f"Inference-Header-Content-Length: expected a number, got {text[:40]!r}"
        )
    return int(text)
