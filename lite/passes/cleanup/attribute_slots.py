"""Replaces constant tensors in slots such as Shape and AxisTensor by attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.graph import Node, Value
from lite.ir.program import AttrType, AttrValue
from lite.ops import OpSchema

_SCALARS = (AttrType.INT, AttrType.LONG, AttrType.FLOAT, AttrType.FLOAT64, AttrType.BOOLEAN)


def constant_slots_to_attributes(node: Node, schema: OpSchema) -> bool:
    """Replace every slot of `OpSchema.attr_slots` whose values are all constant by attributes.

    A slot stays if its elements do not fit the attribute, and if another slot of the node stands
    for the same attribute: the kernel knows which of them takes precedence.  Whether any was replaced.
    """
    changed = False
    for slot, names in schema.attr_slots.items():
        rivals = [s for s, n in schema.attr_slots.items() if s != slot and n == names and s in node.inputs]
        elements = _elements(node.inputs.get(slot, ()))
        if rivals or elements is None:
            continue
        attrs = _attributes(schema, (names,) if isinstance(names, str) else names, elements)
        if attrs is not None:
            node.attrs.update(attrs)
            node.set_input(slot, ())
            changed = True
    return changed


def _elements(values: Sequence[Value]) -> list[int | float | bool] | None:
    """The elements of all values in order; None without values, or if one is not constant."""
    if not values:
        return None
    elements: list[int | float | bool] = []
    for value in values:
        if value.data is None or value.quant is not None:
            return None
        elements += np.asarray(value.data).reshape(-1).tolist()
    return elements


def _attributes(
    schema: OpSchema, names: tuple[str, ...], elements: Sequence[int | float | bool]
) -> dict[str, AttrValue] | None:
    """The attributes that the elements stand for, or None if they do not fit."""
    specs = [schema.attrs[name] for name in names]
    parts: list[AttrValue] = [*elements]
    if len(specs) == 1 and specs[0].type not in _SCALARS:
        parts = [[*elements]]
    if len(parts) != len(names):
        return None
    try:
        return {name: spec.checked(part) for name, spec, part in zip(names, specs, parts, strict=True)}
    except ValueError:
        return None
