"""A compiled model of a TPU (bmodel), and its stored form, whose header has a checksum."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from lite.bridges.tpu.sdk import runtime
from lite.bridges.tpu.simulator_threads import awake, starting
from lite.dataclass import dataclass
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel

_HEADER = struct.Struct("<8sIQI")
"""Magic, CRC-32 of the body, length of the body, length of the list of results at its start; in bytes."""

_MAGIC = b"LBTPUBM1"


@dataclass(frozen=True)
class Result:
    """A result of the region: input `number`, reshaped to `shape`, or output `number` of the bmodel."""

    kind: Literal["input", "output"]
    number: int
    shape: tuple[int, ...] = ()


class TpuModel(CompiledModel):
    """A bmodel on the simulator of its chip; `content` is empty if all results are inputs."""

    def __init__(self, content: bytes, results: Sequence[Result]) -> None:
        self._content = content
        self._results = list(results)
        if content:
            _network(content)

    @classmethod
    def load(cls, blob: bytes) -> TpuModel:
        """The model of `serialize`; raises `CompileError` for other or damaged bytes."""
        content, results = _unpack(blob)
        return cls(content, results)

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Copy the inputs to the chip's memory, run, and copy the outputs.

        Raises `ExecutionError` for an input or output with another number of elements than the bmodel's.
        """
        network = _network(self._content) if self._content else None
        if network is not None:
            by_name = {tensor.name: tensor for tensor in network.inputs}
            for n, array in enumerate(inputs):
                # TPU-MLIR drops an input that nothing reads.
                if f"in{n}" in by_name:
                    _write(by_name[f"in{n}"].data, array)
            with awake():
                network.forward()
        return [
            _copied(network, result, inputs, output)
            for result, output in zip(self._results, outputs, strict=True)
        ]

    def serialize(self) -> bytes:
        """The bmodel, with the list of results."""
        results = json.dumps([[each.kind, each.number, each.shape] for each in self._results]).encode()
        body = results + self._content
        return _HEADER.pack(_MAGIC, zlib.crc32(body), len(body), len(results)) + body

    def files(self) -> Mapping[str, bytes]:
        """The bmodel."""
        return {"region.bmodel": self._content} if self._content else {}


def _copied(network: Any, result: Result, inputs: Sequence[Array], output: Array | None) -> Array:
    data = inputs[result.number] if result.kind == "input" else network.outputs[result.number].data
    if result.kind == "input":
        data = data.reshape(result.shape)
    if output is None:
        return np.array(data, np.float32)
    if data.size != output.size:
        raise ExecutionError(f"tpu: a bmodel output is {list(data.shape)}, expected {list(output.shape)}")
    # Tensors of rank 0 have an axis on the device.
    np.copyto(output, data.reshape(output.shape))
    return output


def _write(target: Array, array: Array) -> None:
    if target.size != array.size:
        raise ExecutionError(f"tpu: a bmodel input is {list(target.shape)}, got {list(array.shape)}")
    target[...] = array.reshape(target.shape)


@dataclass(frozen=True)
class _Opened:
    """A bmodel in the chip's memory; the network uses the model, which must stay alive."""

    content: bytes
    model: Any
    network: Any


_opened: list[_Opened] = []
"""The bmodel that the chip holds; none before the first."""


def _network(content: bytes) -> Any:
    """The network of a bmodel, which becomes the only open one.

    The simulator loads each model to the same memory: results of one that stayed open would be wrong.
    """
    if not _opened or _opened[0].content is not content:
        _opened.clear()
        _opened.append(_open(content))
    return _opened[0].network


def _open(content: bytes) -> _Opened:
    # The runtime reads models from files only.
    descriptor, path = tempfile.mkstemp(suffix=".bmodel", dir=os.getcwd())
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        load = runtime().Model
        with starting():
            model = load(path, 0, "")
            return _Opened(content, model, model.Net(model.networks[0]))
    finally:
        os.unlink(path)


def _unpack(blob: bytes) -> tuple[bytes, list[Result]]:
    if len(blob) < _HEADER.size:
        raise CompileError(f"tpu: a stored model has {len(blob)} bytes, expected {_HEADER.size} at least")
    magic, checksum, size, split = _HEADER.unpack_from(blob)
    body = blob[_HEADER.size :]
    if magic != _MAGIC:
        raise CompileError(f"tpu: expected a stored model, got bytes that begin with {blob[:8]!r}")
    if len(body) != size or zlib.crc32(body) != checksum:
        raise CompileError("tpu: a stored model is damaged: its length or its checksum does not match")
    return body[split:], [
        Result(kind, number, tuple(shape)) for kind, number, shape in json.loads(body[:split])
    ]
