"""Parameters of requests, inputs and outputs that the server reads."""

from __future__ import annotations

from collections.abc import Mapping

from lite.serving.protocol.messages import MemoryRange, RequestedOutput, Scalar
from lite.serving.protocol.status import bad_request

Parameters = Mapping[str, Scalar]

_MOST = 2**63 - 1


def integer(parameters: Parameters, name: str, default: int = 0) -> int:
    """An integer of 0 or more; raises `RequestError` for any other value."""
    value = parameters.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise bad_request(f"parameter {name!r}: expected an integer of 0 or more, got {str(value)[:40]}")
    return value


def flag(parameters: Parameters, name: str, default: bool = False) -> bool:
    """True or false; raises `RequestError` for any other value."""
    value = parameters.get(name, default)
    if not isinstance(value, bool):
        raise bad_request(f"parameter {name!r}: expected true or false, got {str(value)[:40]}")
    return value


def memory_range(parameters: Parameters) -> MemoryRange | None:
    """The part of a shared memory region that the parameters name, or None."""
    region = parameters.get("shared_memory_region")
    if region is None:
        return None
    if not isinstance(region, str):
        raise bad_request("parameter 'shared_memory_region': expected a name")
    return MemoryRange(
        region,
        integer(parameters, "shared_memory_offset"),
        integer(parameters, "shared_memory_byte_size"),
    )


def requested_output(name: str, parameters: Parameters, binary: bool) -> RequestedOutput:
    """An entry of a request's outputs; `binary` is the default of all outputs."""
    return RequestedOutput(
        name,
        flag(parameters, "binary_data", binary),
        integer(parameters, "classification"),
        memory_range(parameters),
    )
