"""A TFLite graph as the bytes of a ``.tflite`` file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from lite.emission.tflite.flatbuffer import Field, Scalar, Table, write
from lite.emission.tflite.graph import Operator, Scales, Stored, TfliteGraph
from lite.emission.tflite.schema import CODES, INT32S, TYPES
from lite.ir.types import Array

SIGNATURE = "serving_default"
"""The name of the signature, which names inputs and outputs."""

_VERSION = 3
_MOST_DEPRECATED = 127
"""Operators from this number on are not in the deprecated field, which is a byte."""


def tflite_bytes(graph: TfliteGraph, description: str = "litebridge") -> bytes:
    """The file of a graph; raises `CompileError` for 2 GiB or more."""
    return library_bytes({SIGNATURE: graph}, description)


def library_bytes(graphs: Mapping[str, TfliteGraph], description: str = "litebridge") -> bytes:
    """The file of several graphs by the name of their signature; equal constants are stored once."""
    file = _File(by_content=len(graphs) > 1)
    subgraphs: list[Table] = []
    signatures: list[Table] = []
    for number, (name, graph) in enumerate(graphs.items()):
        part = _Subgraph(file, graph)
        inputs, outputs = (
            [(each, part.index(tensor)) for each, tensor in side] for side in (graph.inputs, graph.outputs)
        )
        subgraphs.append(
            {
                0: part.tensors,
                1: _numbers([index for _, index in inputs]),
                2: _numbers([index for _, index in outputs]),
                3: part.operators,
                4: "main" if not number else name,
            }
        )
        signature: dict[int, Field] = {
            0: [{0: each, 1: Scalar("I", index)} for each, index in inputs],
            1: [{0: each, 1: Scalar("I", index)} for each, index in outputs],
            2: name,
        }
        if number:
            signature[4] = Scalar("I", number)
        signatures.append(signature)
    model: Table = {
        0: Scalar("I", _VERSION),
        1: [_operator_code(code) for code in file.codes],
        2: subgraphs,
        3: description,
        4: file.buffers,
        7: signatures,
    }
    return write(model, b"TFL3")


class _File:
    """What the subgraphs of a file share: buffers and the codes of operators."""

    def __init__(self, *, by_content: bool) -> None:
        self.buffers: list[Table] = [{}]
        self.codes: list[str] = []
        self._by_content = by_content
        self._shared: dict[tuple[object, ...], int] = {}

    def buffer(self, array: Array) -> int:
        """The buffer of an array; views of the same memory share one, or arrays of the same elements."""
        key: tuple[object, ...]
        key = (array.__array_interface__["data"], array.shape, array.strides, array.dtype.str)
        if key not in self._shared:
            content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            equal = (hashlib.sha256(content.tobytes()).digest(),) if self._by_content else key
            if equal not in self._shared:
                self._shared[equal] = len(self.buffers)
                self.buffers.append({0: content})
            self._shared[key] = self._shared[equal]
        return self._shared[key]


class _Subgraph:
    """The tensors and operators of a graph."""

    def __init__(self, file: _File, graph: TfliteGraph) -> None:
        self.tensors: list[Table] = []
        self._file = file
        self._indices: dict[Stored, int] = {}
        for tensor in _tensors(graph):
            if tensor not in self._indices:
                self._indices[tensor] = len(self.tensors)
                self.tensors.append(self._tensor(tensor))
        self.operators: list[Table] = [self._operator(operator) for operator in graph.operators]

    def index(self, tensor: Stored | None) -> int:
        """The number of a tensor; -1 for an absent input."""
        return -1 if tensor is None else self._indices[tensor]

    def _tensor(self, tensor: Stored) -> Table:
        table: dict[int, Field] = {
            0: _numbers(tensor.shape),
            1: Scalar("b", TYPES[tensor.dtype]),
            2: Scalar("I", 0 if tensor.array is None else self._file.buffer(tensor.array)),
            3: tensor.name,
            8: Scalar("?", True),
        }
        if tensor.quant is not None:
            table[4] = _quantisation(tensor.quant)
        return table

    def _operator(self, operator: Operator) -> Table:
        codes = self._file.codes
        if operator.code not in codes:
            codes.append(operator.code)
        table: dict[int, Field] = {
            0: Scalar("I", codes.index(operator.code)),
            1: _numbers([self.index(tensor) for tensor in operator.inputs]),
            2: _numbers([self.index(tensor) for tensor in operator.outputs]),
        }
        code = CODES[operator.code]
        if code.table:
            options: dict[int, Field] = {}
            for name, value in operator.options.items():
                number, kind = code.options[name]
                if kind == INT32S:
                    options[number] = np.asarray(value, np.int32)
                elif isinstance(value, int | float):
                    options[number] = Scalar(kind, value)
            table |= {3: Scalar("B", code.table), 4: options}
        return table


def _tensors(graph: TfliteGraph) -> Iterator[Stored]:
    for _, tensor in graph.inputs:
        yield tensor
    for operator in graph.operators:
        for each in (*operator.inputs, *operator.outputs):
            if each is not None:
                yield each
    for _, tensor in graph.outputs:
        yield tensor


def _operator_code(name: str) -> Table:
    code = CODES[name]
    return {
        0: Scalar("b", min(code.number, _MOST_DEPRECATED)),
        2: Scalar("i", code.version),
        3: Scalar("i", code.number),
    }


def _quantisation(quant: Scales) -> Table:
    return {
        2: np.asarray(quant.scales, np.float32).reshape(-1),
        3: np.asarray(quant.zeros, np.int64).reshape(-1),
        6: Scalar("i", quant.axis),
    }


def _numbers(numbers: list[int] | tuple[int, ...]) -> Array:
    return np.array(numbers, np.int32)
