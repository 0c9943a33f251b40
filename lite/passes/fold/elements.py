"""Elements of small tensors that are known one by one, as those of a shape with one open size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lite.ir.graph import Node, Value
from lite.ir.types import UNKNOWN, Array, Dim, is_known
from lite.ops import Meta, OpSchema
from lite.passes.match import attributes
from lite.plugin.evaluate import evaluate

MAX_ELEMENTS = 60
"""Shapes are small; with few elements, their numbers survive a cast to any number type."""

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
_DATA = ("X", "Input")

Items = Array
"""An array of objects: an int or float where the element is known, else a symbol or "?"."""


class Elements:
    """What is known of the elements of values, element by element."""

    def __init__(self, metas: Mapping[Value, Meta]) -> None:
        self._metas = metas
        self._items: dict[Value, Items] = {}

    def of(self, value: Value) -> Items | None:
        """The elements of a value, or None when nothing is known of them or they are many."""
        if value.data is not None and value.data.size <= MAX_ELEMENTS and value.quant is None:
            return value.data.astype(object)
        return self._items.get(value)

    def follow(self, node: Node, schema: OpSchema) -> None:
        """Find out what is known of the outputs of a node."""
        found = self._find(node)
        for slot, items in found.items():
            for value, item in zip(node.outputs[slot], items, strict=True):
                if item.size <= MAX_ELEMENTS:
                    self._items[value] = item

    def _find(self, node: Node) -> dict[str, list[Items]]:
        if node.op == "shape":
            return self._shape(node)
        rule = _rule(node)
        inputs = {slot: [self.of(value) for value in values] for slot, values in node.inputs.items()}
        known = {slot: [item for item in items if item is not None] for slot, items in inputs.items()}
        complete = all(len(known[slot]) == len(items) for slot, items in inputs.items())
        if rule is None or not complete or not any(_is_open(item) for item in _flat(known)):
            return {}
        if sum(item.size for item in _flat(known)) > MAX_ELEMENTS:
            return {}
        return rule(node, known, self._metas)

    def _shape(self, node: Node) -> dict[str, list[Items]]:
        meta = self._metas.get(node.input("Input"))
        if meta is None or meta.shape is None or is_known(meta.shape):
            return {}
        return {"Out": [_objects(meta.shape, (len(meta.shape),))]}


Rule = Callable[[Node, Mapping[str, Sequence[Items]], Mapping[Value, Meta]], dict[str, list[Items]]]


def _rule(node: Node) -> Rule | None:
    if node.op in _MOVES:
        return _move
    if node.op in _ARITHMETIC:
        return _calculate
    return _scale if node.op == "scale" and set(node.inputs) == {"X"} else None


def _move(
    node: Node, inputs: Mapping[str, Sequence[Items]], metas: Mapping[Value, Meta]
) -> dict[str, list[Items]]:
    """Where each element goes is found by moving their numbers."""
    if any(slot not in _DATA and _is_open(item) for slot, items in inputs.items() for item in items):
        return {}
    if any(metas[value].dtype.label == "bool" for value in node.all_outputs() if value in metas):
        return {}
    pool: list[object] = []
    arrays: dict[str, list[Array]] = {}
    for slot, items in inputs.items():
        if slot not in _DATA:
            arrays[slot] = [_array(value, metas) for value in node.inputs[slot]]
            continue
        arrays[slot] = []
        for item in items:
            arrays[slot].append(np.arange(len(pool), len(pool) + item.size).reshape(item.shape))
            pool += item.reshape(-1).tolist()
    moved = _run(node, arrays)
    return {
        slot: [_objects([pool[int(n)] for n in array.reshape(-1)], array.shape) for array in values]
        for slot, values in moved.items()
    }
