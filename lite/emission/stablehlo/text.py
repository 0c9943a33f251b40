"""StableHLO as MLIR text, in the generic form of operations, which every version of MLIR reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lite.emission.stablehlo.graph import Attribute, Operation, StablehloGraph, Tensor
from lite.ir.types import Array, DType

ELEMENTS = {
    DType.BOOL: "i1",
    DType.FLOAT32: "f32",
    DType.FLOAT64: "f64",
    DType.INT8: "i8",
    DType.INT16: "i16",
    DType.INT32: "i32",
    DType.INT64: "i64",
    DType.UINT8: "ui8",
}
"""The element types that conversions use, as MLIR spells them."""


def mlir_text(graph: StablehloGraph) -> str:
    """A module with the public function ``main``."""
    return "".join(f"{line}\n" for line in _Printer(graph).module())


def type_text(tensor: Tensor) -> str:
    """The type of a tensor."""
    return f"tensor<{''.join(f'{size}x' for size in tensor.shape)}{ELEMENTS[tensor.dtype]}>"


def _types(tensors: Sequence[Tensor]) -> str:
    return ", ".join(map(type_text, tensors))


class _Printer:
    def __init__(self, graph: StablehloGraph) -> None:
        self._graph = graph
        self._names = {id(tensor): f"%arg{n}" for n, tensor in enumerate(graph.inputs)}

    def module(self) -> Iterator[str]:
        graph = self._graph
        arguments = ", ".join(f"{self._names[id(each)]}: {type_text(each)}" for each in graph.inputs)
        yield "module @region {"
        yield f"func.func public @main({arguments}) -> ({_types(graph.outputs)}) {{"
        for operation in graph.operations:
            yield from self._constants(operation.inputs)
            yield from self._operation(operation)
        yield from self._constants(graph.outputs)
        yield f'"func.return"({self._named(graph.outputs)}) : ({_types(graph.outputs)}) -> ()'
        yield "}"
        yield "}"

    def _named(self, tensors: Sequence[Tensor]) -> str:
        return ", ".join(self._names[id(tensor)] for tensor in tensors)

    def _define(self, tensor: Tensor) -> str:
        return self._names.setdefault(id(tensor), f"%{len(self._names)}")

    def _constants(self, tensors: Sequence[Tensor]) -> Iterator[str]:
        for tensor in tensors:
            if tensor.array is not None and id(tensor) not in self._names:
                name, kind = self._define(tensor), type_text(tensor)
                value = f"dense<{_elements(tensor.array)}> : {kind}"
                yield f'{name} = "stablehlo.constant"() {{value = {value}}} : () -> {kind}'

    def _operation(self, operation: Operation) -> Iterator[str]:
        results = ", ".join(self._define(tensor) for tensor in operation.outputs)
        attributes = ", ".join(
            f"{name} = {_attribute(value)}" for name, value in operation.attributes.items()
        )
        head = f'{results} = "{operation.name}"({self._named(operation.inputs)})'
        kinds = f"({_types(operation.inputs)}) -> ({_types(operation.outputs)})"
        if not operation.body:
            yield f"{head} {{{attributes}}} : {kinds}"
            return
        scalar = f"tensor<{ELEMENTS[operation.inputs[0].dtype]}>"
        yield f"{head} ({{"
        yield f"^bb0(%x: {scalar}, %y: {scalar}):"
        yield f'%z = "stablehlo.{operation.body}"(%x, %y) : ({scalar}, {scalar}) -> {scalar}'
        yield f'"stablehlo.return"(%z) : ({scalar}) -> ()'
        yield f"}}) {{{attributes}}} : {kinds}"


def _elements(array: Array) -> str:
    """The elements between ``dense<`` and ``>``: one for all that are equal, else their bytes."""
    flat = np.ascontiguousarray(array).reshape(-1)
    little = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    stored = little.view(np.uint8).reshape(flat.size, -1)
    if (stored == stored[:1]).all():
        return _number(flat[:1])
    if flat.dtype == np.bool_:
        return _nested(array)
    return f'"0x{stored.tobytes().hex().upper()}"'


def _number(single: Array) -> str:
    """One element: real numbers by their bits, which are exact, infinite or no number."""
    if single.dtype == np.bool_:
        return "true" if single[0] else "false"
    if single.dtype.kind == "f":
        size = single.itemsize
        return f"0x{int(single.view(f'u{size}')[0]):0{2 * size}X}"
    return str(int(single[0]))


def _nested(array: Array) -> str:
    if array.ndim:
        return f"[{', '.join(map(_nested, array))}]"
    return "true" if array else "false"


def _attribute(value: Attribute) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, str):
        return value
    if value and isinstance(value[0], tuple):
        rows = ", ".join(f"[{low}, {high}]" for low, high in value)
        return f"dense<[{rows}]> : tensor<{len(value)}x2xi64>"
    return f"array<i64{':' if value else ''} {', '.join(map(str, value))}>"
