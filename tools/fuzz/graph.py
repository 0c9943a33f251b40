"""A random model: nodes are drawn one by one, with the reference's value of each."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.fuzz.draw import ROWS, Draw, Value
from lite.tools.fuzz.evaluate import IR_VERSION, Rejected, initializer, run_model, value_info
from lite.tools.fuzz.functions import with_functions
from lite.tools.fuzz.ops import (
    chains,
    contrib,
    contrib_attention,
    control,
    detection,
    elementwise,
    features,
    index,
    loops,
    losses,
    matmul,
    nested,
    norm,
    quantized,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    spellings,
    text,
    windows,
)

_FAMILIES = (
    chains,
    contrib,
    contrib_attention,
    control,
    detection,
    elementwise,
    features,
    index,
    loops,
    losses,
    matmul,
    nested,
    norm,
    quantized,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    spellings,
    text,
    windows,
)
"""Importing the families fills the table of rows."""

OPSETS = (*range(7, 11), *2 * tuple(range(11, 24)), 24, 25, 26)
"""Those that ONNX Runtime runs; the common ones twice."""


@dataclass(frozen=True)
class Case:
    """A model, arrays to feed, and the reference's outputs.

    `others` are more feeds with their outputs, of other elements and, for symbolic dimensions, other sizes.
    """

    name: str
    model: onnx.ModelProto
    feeds: Mapping[str, Array]
    outputs: Mapping[str, Any]
    others: Sequence[tuple[Mapping[str, Array], Mapping[str, Any]]] = ()


def generate(choices: random.Random, name: str, *, rows: Sequence[str] = ()) -> Case | None:
    """A case that `choices` decide; None for a draw without a tensor to return.

    With `rows`, the graph is small and made of these rows only.
    """
    d = Draw(choices, opset=choices.choice(OPSETS))
    names = list(rows or ROWS)
    weights = [ROWS[row][1] for row in names]
    d.input(d.array(_first_shape(d)))
    for _ in range(choices.randint(1, 3 if rows else 9)):
        try:
            ROWS[choices.choices(names, weights)[0]][0](d)
        except Rejected:
            continue
    if not d.nodes:
        return None
    outputs = _outputs(d)
    if not outputs:
        return None
    symbols = _symbols(d) if d.chance(0.35) else {}
    model = _model(d, outputs, symbols)
    if d.chance(0.08):
        model = _checked(with_functions(model, choices), model, d.inputs)
    others = []
    moved = {key: array if key in d.fixed else _moved(array) for key, array in d.inputs.items()}
    resized = [
        {key: _resized(d, array, symbols.get(key, ())) for key, array in d.inputs.items()}
        for _ in range(2 if symbols else 0)
    ]
    for changed in (moved, *resized):
        feeds = {key: array if d.valid[key](array) else d.inputs[key] for key, array in changed.items()}
        try:
            found = run_model(model, feeds)
        except Rejected:
            continue
        if not any(_is_other_model(value.value, each) for value, each in zip(outputs, found, strict=True)):
            others.append((feeds, {value.name: each for value, each in zip(outputs, found, strict=True)}))
    return Case(name, model, d.inputs, {value.name: value.value for value in outputs}, others)


def _is_other_model(value: Any, other: Any) -> bool:
    """Whether a result has another rank, as after GatherND, or is empty, as of images without a window."""
    if not isinstance(other, np.ndarray):
        return False
    return other.ndim != np.ndim(value) or (not other.size and bool(np.size(value)))


def _checked(changed: onnx.ModelProto, model: onnx.ModelProto, feeds: Mapping[str, Array]) -> onnx.ModelProto:
    """The changed model, or the other where the reference does not run the changed one."""
    try:
        run_model(changed, feeds)
    except Rejected:
        return model
    return changed


def _first_shape(d: Draw) -> tuple[int, ...]:
    if d.chance(0.5):
        return (d.integer(1, 2), d.pick((1, 2, 3, 4, 8)), d.integer(3, 9), d.integer(3, 9))
    return d.dims(d.integer(1, 4))


def _outputs(d: Draw) -> list[Value]:
    """Every value that no node reads, and some inner ones; all are made by nodes."""
    from lite.tools.fuzz.draw import reads

    read = {name for node in d.nodes for name in reads(node)}
    made = {name for node in d.nodes for name in node.output}
    found = [
        value
        for value in d.values
        if value.name in made and value.value is not None and (value.name not in read or d.chance(0.08))
    ]
    return [value for value in found if not isinstance(value.value, list) or value.value]


def _symbols(d: Draw) -> dict[str, tuple[str | int, ...]]:
    """Shapes of inputs in which some sizes are names; equal sizes often share one."""
    shared: dict[int, str] = {}
    shapes: dict[str, tuple[str | int, ...]] = {}
    for key, array in d.inputs.items():
        if key in d.fixed or _may_be_axes(array):
            continue
        dims: list[str | int] = []
        for n, size in enumerate(array.shape):
            if d.chance(0.4):
                dims.append(shared.setdefault(size, f"s{size}") if d.chance(0.7) else f"{key}_{n}")
            else:
                dims.append(size)
        shapes[key] = tuple(dims)
    return shapes if any(isinstance(dim, str) for dims in shapes.values() for dim in dims) else {}


def _may_be_axes(array: Array) -> bool:
    """Whether an array may be a list of axes, sizes or pads, whose number a node fixes."""
    return array.ndim == 1 and array.dtype == np.int64 and array.size < 9


def _moved(array: Array) -> Array:
    """The elements in another order: indices remain valid.  A single number or truth becomes another one."""
    if array.size == 1 and array.dtype.kind in "bf":
        return np.logical_not(array) if array.dtype.kind == "b" else array / 2
    return array if _may_be_axes(array) else np.roll(array, 1 + array.size // 3)


def _resized(d: Draw, array: Array, dims: tuple[str | int, ...]) -> Array:
    """An array of another size; integers, which may be indices or lengths, come from the given ones."""
    if not any(isinstance(dim, str) for dim in dims):
        return array
    more = d.integer(0, 1)
    shape = [
        _size(dim, more, least=size if n > 1 and len(dims) > 2 else 1) if isinstance(dim, str) else dim
        for n, (dim, size) in enumerate(zip(dims, array.shape, strict=True))
    ]
    if array.dtype.kind in "iub":
        return np.resize(array, shape)
    return d.array(shape, str(array.dtype))


def _size(symbol: str, more: int, *, least: int) -> int:
    """Another size of a symbol; an image stays as large as its windows."""
    size = 1 + (hash_of(symbol) + more) % 7
    return size + least if size < least else size


def hash_of(text: str) -> int:
    """A small number that depends on the text alone."""
    return sum(map(ord, text))


def _without_shape(info: onnx.ValueInfoProto) -> onnx.ValueInfoProto:
    if info.type.HasField("tensor_type"):
        info.type.tensor_type.ClearField("shape")
    return info


def _model(d: Draw, outputs: list[Value], symbols: Mapping[str, tuple[str | int, ...]]) -> onnx.ModelProto:
    inputs = [value_info(key, array, symbols.get(key)) for key, array in d.inputs.items()]
    if d.chance(0.05):
        # Any rank: the type says nothing about the shape.
        inputs[0].type.tensor_type.ClearField("shape")
    graph = helper.make_graph(
        d.nodes,
        "fuzz",
        inputs,
        [_without_shape(value_info(value.name, value.value)) for value in outputs],
        [initializer(key, array) for key, array in d.constants.items()],
    )
    return helper.make_model(graph, opset_imports=d.opsets(), ir_version=IR_VERSION)
