"""is_cheap: whether to compute an op's result for nothing takes less time than to branch around it."""

from __future__ import annotations

from lite.ir.graph import Node, Value
from lite.ops import SCHEMAS, Trait
from lite.ops.view import product

MOST_ELEMENTS = 1024
"""The most elements of an operand or result of a cheap op."""

_TRAITS = frozenset({Trait.ELEMENTWISE, Trait.RESHAPE, Trait.REDUCTION})
_OTHERS = frozenset({"concat", "select_input", "stack", "transpose2"})

_FAIL_ON_INTEGERS = frozenset(
    {
        "bitwise_left_shift",
        "bitwise_right_shift",
        "elementwise_div",
        "elementwise_floordiv",
        "elementwise_mod",
        "elementwise_pow",
        "fmod",
        "pow",
        "reciprocal",
    }
)
"""Some integers have no quotient, power or shift."""


def is_cheap(node: Node) -> bool:
    """Whether an op computes few elements, has no effect, and cannot fail whatever elements it gets."""
    schema = SCHEMAS.get(node.op)
    if schema is None or not schema.foldable or node.effect or node.blocks:
        return False
    if _TRAITS.isdisjoint(schema.traits) and node.op not in _OTHERS:
        return False
    values = [*node.all_inputs(), *node.all_outputs()]
    if node.op in _FAIL_ON_INTEGERS and any(v.dtype is None or v.dtype.is_integer for v in values):
        return False
    return all(map(_has_few_elements, values))


def _has_few_elements(value: Value) -> bool:
    if value.lod_level or value.dtype is None:
        return False
    count = product(value.shape) if value.shape is not None else None
    return count is not None and 0 < count <= MOST_ELEMENTS
