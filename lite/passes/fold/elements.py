"""Elements of small tensors that are known one by one, as those of a shape with one open size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lite.ir.graph import Node, Value
from lite.ir.types import Array
from lite.ops import Meta
from lite.passes.match import attributes
from lite.plugin.kernel import evaluate

MAX_ELEMENTS = 64
"""Shapes are small."""

_MOVES = frozenset(
    {
        "assign",
        "cast",
        "concat",
        "expand_v2",
        "flatten_contiguous_range",
        "gather",
        "reshape2",
        "slice",
        "split",
        "squeeze2",
        "stack",
        "strided_slice",
        "tile",
        "transpose2",
        "unsqueeze2",
        "unstack",
    }
)
"""Ops whose output elements are elements of their data inputs, wherever those come from."""

_DATA = ("X", "Input")

_ARITHMETIC = frozenset(
    {
        "elementwise_add",
        "elementwise_div",
        "elementwise_floordiv",
        "elementwise_max",
        "elementwise_min",
        "elementwise_mod",
        "elementwise_mul",
        "elementwise_sub",
    }
)


@dataclass(frozen=True, eq=False)
class Elements:
    """An array whose elements count only where `known`, an array of the same shape and type, is 1."""

    array: Array
    known: Array

    @property
    def all_known(self) -> bool:
        """Whether every element counts."""
        return bool(self.known.all())


Found = dict[str, list[Elements]]


def partial_elements(node: Node, elements: Mapping[Value, Elements], metas: Mapping[Value, Meta]) -> Found:
    """What is known, element by element, of a node's outputs from its inputs'; nothing for most ops.

    `elements` holds what earlier nodes gave.  Raises `GraphError` or `ExecutionError` for an op that
    cannot be.
    """
    if node.op == "shape":
        return _shape(metas.get(node.input("Input")))
    inputs = {
        slot: [elements_of(value, elements) for value in values] for slot, values in node.inputs.items()
    }
    found = {slot: [item for item in items if item is not None] for slot, items in inputs.items()}
    if any(len(found[slot]) < len(items) for slot, items in inputs.items()):
        return {}
    if node.op in _MOVES:
        return _move(node, found)
    if node.op in _ARITHMETIC:
        return _calculate(node, found)
    if node.op == "scale" and set(node.inputs) == {"X"}:
        scaled = _run(node.op, node, {"X": [found["X"][0].array]})
        return {"Out": [Elements(scaled["Out"][0], found["X"][0].known)]}
    return {}


def elements_of(value: Value, elements: Mapping[Value, Elements]) -> Elements | None:
    """What is known of a value: all of a small constant, or what `elements` says."""
    if value.data is None or value.data.size > MAX_ELEMENTS or value.quant is not None:
        return elements.get(value)
    return Elements(value.data, np.ones_like(value.data))


def _shape(meta: Meta | None) -> Found:
    if meta is None or meta.shape is None:
        return {}
    # An open size stands as 1, which no arithmetic objects to.
    sizes = [dim if isinstance(dim, int) else 1 for dim in meta.shape]
    known = [isinstance(dim, int) for dim in meta.shape]
    return {"Out": [Elements(np.array(sizes, np.int32), np.array(known, np.int32))]}


def _move(node: Node, inputs: Mapping[str, list[Elements]]) -> Found:
    """The marks move as the elements do."""
    if not all(item.all_known for slot, items in inputs.items() if slot not in _DATA for item in items):
        return {}
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items() if slot in _DATA}
    return _paired(_run(node.op, node, arrays), _run(node.op, node, {**arrays, **marks}))


def _calculate(node: Node, inputs: Mapping[str, list[Elements]]) -> Found:
    """An element is known where both operands are."""
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items()}
    return _paired(_run(node.op, node, arrays), _run("elementwise_min", node, marks))


def _paired(arrays: Mapping[str, list[Array]], marks: Mapping[str, list[Array]]) -> Found:
    return {
        slot: [Elements(array, mark) for array, mark in zip(values, marks[slot], strict=True)]
        for slot, values in arrays.items()
    }


def _run(op: str, node: Node, inputs: Mapping[str, list[Array]]) -> dict[str, list[Array]]:
    """`op` with the attributes of the node, on other inputs."""
    outputs = {slot: len(values) for slot, values in node.outputs.items() if slot != "XShape"}
    results = evaluate(op, inputs, attributes(node), outputs)
    return {slot: [result.array for result in values] for slot, values in results.items()}
