"""The elements of sizes in an open binding, of which some are unknown before the run.

A shape with one unknown size keeps the others, also through the ops that compute a shape from it::

    %s = shape(Input=%x)            (%x: int64[1,1,1,?], so that %s is [1, 1, 1, ?])
    %y = reshape2(X=%m, Shape=%s)   (%y: bool[1,1,1,?], not bool[?,?,?,?])
"""

from __future__ import annotations

from dataclasses import replace

from lite.errors import LiteError
from lite.ops.view import product
from lite.plugin.kernel import KERNEL_ERRORS
from lite.plugin.kernel.partial_elements import (
    MAX_ELEMENTS,
    BySlot,
    Elements,
    is_tracked,
    partial_results,
)
from lite.runtime.binding.state import Binding


def note_elements(binding: Binding, position: int) -> bool:
    """Note the elements of an instruction's outputs that follow; whether all of them do."""
    item = binding.instruction(position)
    found = _found(binding, position)
    for slot, elements in found.items():
        for index, each in zip(item.outputs[slot], elements, strict=True):
            binding.elements[index] = each
            binding.metas[index] = replace(binding.metas[index], numbers=each.numbers)
    outputs = binding.outputs(position)
    return all(index in binding.elements and binding.elements[index].all_known for index in outputs)


def _found(binding: Binding, position: int) -> BySlot:
    item = binding.instruction(position)
    if not is_tracked(item.op) or any(_is_large(binding, index) for index in binding.outputs(position)):
        return {}
    if item.op == "shape":
        shape = binding.metas[item.inputs["Input"][0]].shape
        return {} if shape is None else {"Out": [Elements.of_shape(shape)]}
    inputs: dict[str, list[Elements]] = {}
    for slot, indices in item.inputs.items():
        known = [_elements_of(binding, index) for index in indices]
        inputs[slot] = [each for each in known if each is not None]
        if len(inputs[slot]) < len(known):
            return {}
    try:
        return partial_results(item.op, inputs, item.attrs, {s: len(v) for s, v in item.outputs.items()})
    except (LiteError, *KERNEL_ERRORS):
        return {}  # the op cannot be computed with a 1 for unknown sizes


def _elements_of(binding: Binding, index: int) -> Elements | None:
    value = binding.metas[index].value
    if value is not None and value.size <= MAX_ELEMENTS:
        return Elements.of(value)
    return binding.elements.get(index)


def _is_large(binding: Binding, index: int) -> bool:
    shape = binding.metas[index].shape
    count = None if shape is None else product(shape)
    return count is None or count > MAX_ELEMENTS
