"""Constraints on a value: attributes of the op that writes it, element type, shape, elements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from types import EllipsisType

import numpy as np

from lite.errors import PluginError, suggest
from lite.ir.graph import Value
from lite.ir.program import AttrValue
from lite.ir.types import Array, Dim, DType, shape_text
from lite.ops.schema import SCHEMAS

Constraint = Callable[[Value], str | None]
"""Why a value does not fit, in one sentence; None when it fits."""

Number = bool | int | float

ExpectedAttr = Number | str | Sequence[Number] | Sequence[str] | AbstractSet[object] | Callable[..., bool]
"""A value, a set of values, or a predicate; a list attribute may equal a list or a tuple."""

ExpectedConstant = Number | Array | Callable[[Array], bool]
"""The number that every element equals, the whole array, or a predicate of the array."""

ExpectedShape = Sequence[Dim | EllipsisType | None]
"""Sizes or names of dimensions; None is any size, `...` any number of dimensions."""


def attribute(name: str, expected: ExpectedAttr) -> Constraint:
    """An attribute of the op that writes the value, with defaults filled in.

    Real numbers are compared as float32, the type in which Paddle stores them.
    """

    def why_not(value: Value) -> str | None:
        node = value.producer
        schema = SCHEMAS.get(node.op) if node is not None else None
        if node is None or schema is None or name not in schema.attrs:
            return f"{node or value!r} has no attribute {name}"
        for slot, attrs in schema.attr_slots.items():
            if node.inputs.get(slot) and name in ((attrs,) if isinstance(attrs, str) else attrs):
                return f"{node!r}: attribute {name} is given by input {slot}"
        actual = schema.attr_values(node.attrs)[name]
        if _fits(actual, expected):
            return None
        return f"{node!r}: attribute {name} is {actual!r}, expected {_text(expected)}"

    return why_not


def check_attribute(name: str, ops: Collection[str] | None) -> None:
    """Raise `PluginError` if none of the ops, by default of all ops, has an attribute of that name."""
    known = {attr for op in ops or SCHEMAS for attr in SCHEMAS[op].attrs}
    if name not in known:
        where = "no op" if ops is None else "/".join(sorted(ops))
        raise PluginError(f"pattern: {where} has an attribute {name!r}{suggest(name, known)}")


def element_type(dtypes: Collection[DType]) -> Constraint:
    """One of these element types; an unknown element type does not fit."""
    expected = "/".join(sorted(str(dtype) for dtype in dtypes))

    def why_not(value: Value) -> str | None:
        if value.dtype in dtypes:
            return None
        return f"{value!r} is of {value.dtype or 'an unknown element type'}, expected {expected}"

    return why_not


def shape(expected: ExpectedShape) -> Constraint:
    """A shape; an unknown size does not fit where a size is expected.

    Raises `PluginError` for a second `...`.
    """
    gaps = [axis for axis, dim in enumerate(expected) if dim is ...]
    if len(gaps) > 1:
        raise PluginError(f"pattern: a shape has one '...' at most, got {list(expected)}")
    head = list(expected[: gaps[0]] if gaps else expected)
    tail = list(expected[gaps[0] + 1 :] if gaps else ())
    text = ",".join("any" if dim is None else "..." if dim is ... else str(dim) for dim in expected)

    def fits(dims: Sequence[Dim]) -> bool:
        between = len(dims) - len(head) - len(tail)
        if between < 0 or (between and not gaps):
            return False
        actual = [*dims[: len(head)], *dims[len(dims) - len(tail) :]]
        return all(size in (None, dim) for size, dim in zip([*head, *tail], actual, strict=True))

    def why_not(value: Value) -> str | None:
        if value.shape is not None and fits(value.shape):
            return None
        return f"{value!r} is of shape {shape_text(value.shape)}, expected [{text}]"

    return why_not


def constant(expected: ExpectedConstant | None) -> Constraint:
    """A constant; one with `expected` elements must not be quantised.

    Real numbers are compared as float32.
    """

    def why_not(value: Value) -> str | None:
        if value.data is None:
            return f"{value!r} is not constant"
        if expected is None:
            return None
        if value.quant is not None:
            return f"constant {value!r} is quantised"
        if callable(expected):
            return None if expected(value.data) else f"constant {value!r} is refused by {_text(expected)}"
        if isinstance(expected, np.ndarray):
            equal = value.data.shape == expected.shape and np.array_equal(value.data, expected)
            return None if equal else f"constant {value!r} is not the array that the pattern names"
        return (
            None if _all_equal(value.data, expected) else f"constant {value!r} is not {expected} throughout"
        )

    return why_not


def _all_equal(data: Array, number: Number) -> bool:
    if not data.size or data.dtype.kind in "OUS":
        return False
    if data.dtype.kind == "c" or not isinstance(number, float):
        return bool(np.all(data == number))
    expected = np.float32(number)
    first = data.reshape(-1)[:1].astype(np.float32)[0]
    return bool(first == expected and np.all(data.astype(np.float32) == expected))


def _fits(actual: AttrValue, expected: ExpectedAttr) -> bool:
    if callable(expected):
        return bool(expected(actual))
    if isinstance(expected, AbstractSet):
        return any(_equal(actual, item) for item in expected)
    return _equal(actual, expected)


def _equal(actual: object, expected: object) -> bool:
    if isinstance(actual, list | tuple):
        return (
            isinstance(expected, list | tuple)
            and len(actual) == len(expected)
            and all(_equal(*pair) for pair in zip(actual, expected, strict=True))
        )
    if isinstance(actual, float) and isinstance(expected, int | float):
        return bool(np.float32(actual) == np.float32(expected))
    return actual == expected


def _text(expected: object) -> str:
    if callable(expected):
        return str(getattr(expected, "__name__", expected))
    if isinstance(expected, AbstractSet):
        return " or ".join(sorted(repr(item) for item in expected))
    return repr(expected)
