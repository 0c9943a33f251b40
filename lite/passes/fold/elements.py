"""Elements: small tensors of which some elements are known, such as a shape with one unknown size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import Array
from lite.ops import Meta, Trait, has_trait
from lite.passes.match import attributes
from lite.plugin.kernel import evaluate

MAX_ELEMENTS = 64
"""Larger tensors are not tracked; shapes are small."""

_DATA = ("X", "Input")
"""The slots of data inputs."""


@dataclass(frozen=True, eq=False)
class Elements:
    """An array whose elements are known where `known` is 1, an array of the same shape.

    The marks have the type of the array, unless that holds strings.
    """

    array: Array
    known: Array

    @property
    def all_known(self) -> bool:
        """Whether every element is known."""
        return bool(self.known.all())


BySlot = dict[str, list[Elements]]


def partial_elements(node: Node, elements: Mapping[Value, Elements], metas: Mapping[Value, Meta]) -> BySlot:
    """The elements of a node's outputs that follow from the known elements of its inputs.

    `elements` has the partly known outputs of earlier nodes.  The result is empty for ops that are not
    tracked.  Raises `GraphError` or `ExecutionError` for an op that is not valid.
    """
    if node.op == "shape":
        return _shape(metas.get(node.input("Input")))
    if not is_tracked(node):
        return {}
    inputs = {
        slot: [elements_of(value, elements) for value in values] for slot, values in node.inputs.items()
    }
    partial = {slot: [item for item in items if item is not None] for slot, items in inputs.items()}
    if any(len(partial[slot]) < len(items) for slot, items in inputs.items()):
        return {}
    if node.op == "cast":
        return _cast(node, partial["X"][0])
    if has_trait(node.op, Trait.MOVEMENT):
        return _move(node, partial)
    if node.op != "scale":
        return _calculate(node, partial)
    if set(node.inputs) == {"X"}:
        scaled = _run(node.op, node, {"X": [partial["X"][0].array]})
        return {"Out": [Elements(scaled["Out"][0], partial["X"][0].known)]}
    return {}


def is_tracked(node: Node) -> bool:
    """Whether elements of a node's outputs may follow from elements of its inputs, or from their shapes."""
    return (
        node.op in ("shape", "cast", "scale")
        or has_trait(node.op, Trait.MOVEMENT)
        or (has_trait(node.op, Trait.ARITHMETIC) and node.op != "elementwise_pow")
    )


def elements_of(value: Value, elements: Mapping[Value, Elements]) -> Elements | None:
    """The known elements of a value: all elements of a small constant, or its entry in `elements`."""
    if value.data is None or value.data.size > MAX_ELEMENTS or value.quant is not None:
        return elements.get(value)
    return Elements(value.data, np.ones_like(value.data))


def _shape(meta: Meta | None) -> BySlot:
    if meta is None or meta.shape is None:
        return {}
    # An unknown size is 1 in the array, which is valid in all arithmetic.
    sizes = [dim if isinstance(dim, int) else 1 for dim in meta.shape]
    known = [isinstance(dim, int) for dim in meta.shape]
    return {"Out": [Elements(np.array(sizes, np.int32), np.array(known, np.int32))]}


def _cast(node: Node, x: Elements) -> BySlot:
    array = _run(node.op, node, {"X": [x.array]})["Out"][0]
    # Strings take no part in arithmetic, which needs marks of the same type; every string counts as true.
    known = x.known if array.dtype == object else x.known.astype(array.dtype)
    return {"Out": [Elements(array, known)]}


def _move(node: Node, inputs: Mapping[str, list[Elements]]) -> BySlot:
    """Moves the elements and, equally, their marks in `known`."""
    if not all(item.all_known for slot, items in inputs.items() if slot not in _DATA for item in items):
        return {}
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items() if slot in _DATA}
    return _paired(_run(node.op, node, arrays), _run(node.op, node, {**arrays, **marks}))


def _calculate(node: Node, inputs: Mapping[str, list[Elements]]) -> BySlot:
    """Computes the elements; an element is known where both operands are."""
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items()}
    return _paired(_run(node.op, node, arrays), _run("elementwise_min", node, marks))


def _paired(arrays: Mapping[str, list[Array]], marks: Mapping[str, list[Array]]) -> BySlot:
    return {
        slot: [Elements(array, mark) for array, mark in zip(values, marks[slot], strict=True)]
        for slot, values in arrays.items()
    }


def _run(op: str, node: Node, inputs: Mapping[str, list[Array]]) -> dict[str, list[Array]]:
    """Run `op` with the attributes of a node on these inputs."""
    outputs = {slot: len(values) for slot, values in node.outputs.items() if slot != "XShape"}
    results = evaluate(op, inputs, attributes(node), outputs)
    return {slot: [result.array for result in values] for slot, values in results.items()}
