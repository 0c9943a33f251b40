"""Elements: small tensors of which some elements are known, such as a shape with one unknown size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import Array, Shape
from lite.ops import Trait, has_trait
from lite.plugin.kernel.evaluation import evaluate

MAX_ELEMENTS = 64
"""Larger tensors are not tracked; shapes are small."""

_DATA = ("X", "Input")
"""The slots of data inputs."""

_COMPARISONS = ("equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal")


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

    @property
    def numbers(self) -> tuple[int | None, ...] | None:
        """The elements as integers, None for those that are unknown; None for elements of other types."""
        if self.array.dtype.kind not in "iu":
            return None
        pairs = zip(self.array.reshape(-1).tolist(), self.known.reshape(-1).tolist(), strict=True)
        return tuple(number if is_known else None for number, is_known in pairs)

    @classmethod
    def of(cls, array: Array) -> Elements:
        """An array that is known."""
        return cls(array, np.ones_like(array))

    @classmethod
    def of_shape(cls, shape: Shape) -> Elements:
        """A shape as the op ``shape`` returns it; an unknown size is 1, which is valid in all arithmetic."""
        sizes = [dim if isinstance(dim, int) else 1 for dim in shape]
        known = [isinstance(dim, int) for dim in shape]
        return cls(np.array(sizes, np.int32), np.array(known, np.int32))


BySlot = dict[str, list[Elements]]


def is_tracked(op: str) -> bool:
    """Whether elements of an op's outputs may follow from elements of its inputs, or from their shapes."""
    return (
        op in ("shape", "cast", "scale", "where", *_COMPARISONS)
        or has_trait(op, Trait.MOVEMENT)
        or (has_trait(op, Trait.ARITHMETIC) and op != "elementwise_pow")
    )


def partial_results(
    op: str,
    inputs: Mapping[str, Sequence[Elements]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
) -> BySlot:
    """The elements of a tracked op's outputs that follow from the known elements of its inputs.

    The op is not ``shape``; `outputs` are the numbers of values by slot.  The result is empty where nothing
    follows.  Raises `GraphError` or `ExecutionError` for an op that is not valid.
    """
    run = _Run(attrs, {slot: count for slot, count in outputs.items() if slot != "XShape"})
    if op == "cast":
        return _cast(run, inputs["X"][0])
    if op == "where":
        return _choose(run, *(inputs[slot][0] for slot in ("Condition", "X", "Y")))
    if has_trait(op, Trait.MOVEMENT):
        return _move(run, op, inputs)
    if op != "scale":
        return _calculate(run, op, inputs)
    if set(inputs) == {"X"}:
        return {"Out": [Elements(run(op, {"X": [inputs["X"][0].array]})["Out"][0], inputs["X"][0].known)]}
    return {}


@dataclass(frozen=True)
class _Run:
    """Runs ops with the attributes of one."""

    attrs: Mapping[str, AttrValue]
    outputs: Mapping[str, int]

    def __call__(self, op: str, inputs: Mapping[str, Sequence[Array]]) -> dict[str, list[Array]]:
        results = evaluate(op, inputs, self.attrs, self.outputs)
        return {slot: [result.array for result in values] for slot, values in results.items()}


def _cast(run: _Run, x: Elements) -> BySlot:
    array = run("cast", {"X": [x.array]})["Out"][0]
    # Strings take no part in arithmetic, which needs marks of the same type; every string counts as true.
    known = x.known if array.dtype == object else x.known.astype(array.dtype)
    return {"Out": [Elements(array, known)]}


def _choose(run: _Run, condition: Elements, x: Elements, y: Elements) -> BySlot:
    """An element is known where the condition is, and the element that it chooses."""
    array = run("where", {"Condition": [condition.array], "X": [x.array], "Y": [y.array]})["Out"][0]
    known = np.where(condition.array, x.known, y.known) * condition.known.astype(array.dtype)
    return {"Out": [Elements(array, known.astype(array.dtype))]}


def _move(run: _Run, op: str, inputs: Mapping[str, Sequence[Elements]]) -> BySlot:
    """Moves the elements and, equally, their marks in `known`."""
    if not all(item.all_known for slot, items in inputs.items() if slot not in _DATA for item in items):
        return {}
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items() if slot in _DATA}
    results = run(op, arrays)
    return _paired(results, run(op, {**arrays, **marks}) if _any(marks) else _none_of(results))


def _calculate(run: _Run, op: str, inputs: Mapping[str, Sequence[Elements]]) -> BySlot:
    """Computes the elements; an element is known where both operands are."""
    arrays = {slot: [item.array for item in items] for slot, items in inputs.items()}
    marks = {slot: [item.known for item in items] for slot, items in inputs.items()}
    results = run(op, arrays)
    if not _any(marks):
        return _paired(results, _none_of(results))
    known = run("elementwise_min", marks)
    if op in _COMPARISONS:
        known = {slot: [each.astype(np.bool_) for each in values] for slot, values in known.items()}
    return _paired(results, known)


def _any(marks: Mapping[str, list[Array]]) -> bool:
    return any(mark.any() for items in marks.values() for mark in items)


def _none_of(arrays: Mapping[str, list[Array]]) -> dict[str, list[Array]]:
    return {slot: [np.zeros_like(array) for array in values] for slot, values in arrays.items()}


def _paired(arrays: Mapping[str, list[Array]], marks: Mapping[str, list[Array]]) -> BySlot:
    return {
        slot: [Elements(array, mark) for array, mark in zip(values, marks[slot], strict=True)]
        for slot, values in arrays.items()
    }
