"""Inference requests and responses, independent of their form on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.types import Array

Scalar = str | int | float | bool
"""The value of a parameter."""


@dataclass(frozen=True)
class MemoryRange:
    """A part of a shared memory region: its name, offset and size in bytes."""

    region: str
    offset: int
    size: int


@dataclass(frozen=True)
class RequestedOutput:
    """An output that a client asks for.

    `binary` asks for bytes after the JSON head, `classes` for the greatest N elements as strings
    (0 for the tensor itself), and `memory` for a result in shared memory.
    """

    name: str
    binary: bool = False
    classes: int = 0
    memory: MemoryRange | None = None


@dataclass(frozen=True)
class InferRequest:
    """The inputs of a model, and what the client wants to receive.

    Without `outputs`, all are sent, in binary form if `binary` is set.  `timeout_us` is 0 without a deadline.
    A request of `priority` 1 runs before others; 0 is the default and comes last.  `trace` has the headers
    that name the caller's trace.
    """

    model: str
    version: str
    id: str
    inputs: Mapping[str, Array]
    outputs: tuple[RequestedOutput, ...] = ()
    binary: bool = False
    priority: int = 0
    timeout_us: int = 0
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ResultTensor:
    """An output; `array` is None where the result is in shared memory (`memory`)."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    array: Array | None
    binary: bool = False
    memory: MemoryRange | None = None


@dataclass(frozen=True)
class InferResponse:
    """The outputs of a model."""

    model: str
    version: str
    id: str
    outputs: tuple[ResultTensor, ...]
