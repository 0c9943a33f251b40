"""What a pattern may ask of a value: attributes of its op, element type, shape, elements."""

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
"""Why a value does not fit, in one sentence; None when it does."""

Number = bool | int | float

AttrWanted = Number | str | Sequence[Number] | Sequence[str] | AbstractSet[object] | Callable[..., bool]
"""A value, a set of values, or a predicate; a list attribute equals a list or a tuple."""

ConstantWanted = Number | Array | Callable[[Array], bool]
"""The number that every element is, the whole array, or a predicate of it."""

ShapeWanted = Sequence[Dim | EllipsisType | None]
"""Sizes or names of dimensions; None is any size, `...` any number of dimensions."""


def attribute(name: str, wanted: AttrWanted) -> Constraint:
    """The attribute of the op that writes the value, its default filled in.

    Real numbers are compared as float32, in which Paddle stores them.
    """

    def why_not(value: Value) -> str | None:
        node = value.producer
        schema = SCHEMAS.get(node.op) if node is not None else None
        if node is None or schema is None or name not in schema.attrs:
            return f"{node or value!r} has no attribute {name}"
        for slot, attrs in schema.attr_slots.items():
            if node.inputs.get(slot) and name in ((attrs,) if isinstance(attrs, str) else attrs):
                return f"{node!r}: attribute {name} is given by input {slot}"
        found = schema.attr_values(node.attrs)[name]
        if _fits(found, wanted):
            return None
        return f"{node!r}: attribute {name} is {found!r}, expected {_text(wanted)}"

    return why_not


def check_attribute(name: str, ops: Collection[str] | None) -> None:
    """Raise `PluginError` when no op of `ops` (None: any) has an attribute of that name."""
    known = {attr for op in ops or SCHEMAS for attr in SCHEMAS[op].attrs}
    if name not in known:
        where = "no op" if ops is None else "/".join(sorted(ops))
        raise PluginError(f"pattern: {where} has an attribute {name!r}{suggest(name, known)}")


def element_type(wanted: Collection[DType]) -> Constraint:
    """The value's element type; one that is not known does not fit."""
    expected = "/".join(sorted(str(dtype) for dtype in wanted))

    def why_not(value: Value) -> str | None:
        if value.dtype in wanted:
            return None
        return f"{value!r} is of {value.dtype or 'an unknown element type'}, expected {expected}"

    return why_not


def shape(wanted: ShapeWanted) -> Constraint:
    """The value's shape; where a size is given, one that is not known does not fit.

    Raises `PluginError` for a second `...`.
    """
    gaps = [at for at, dim in enumerate(wanted) if dim is ...]
    if len(gaps) > 1:
        raise PluginError(f"pattern: a shape has one '...' at most, got {list(wanted)}")
    before = list(wanted[: gaps[0]] if gaps else wanted)
    behind = list(wanted[gaps[0] + 1 :] if gaps else ())
    expected = ",".join("any" if dim is None else "..." if dim is ... else str(dim) for dim in wanted)

    def fits(dims: Sequence[Dim]) -> bool:
        missing = len(dims) - len(before) - len(behind)
        if missing < 0 or (missing and not gaps):
            return False
        found = [*dims[: len(before)], *dims[len(dims) - len(behind) :]]
        return all(want in (None, dim) for want, dim in zip([*before, *behind], found, strict=True))

    def why_not(value: Value) -> str | None:
        if value.shape is not None and fits(value.shape):
            return None
        return f"{value!r} is of shape {shape_text(value.shape)}, expected [{expected}]"

    return why_not


def constant(wanted: ConstantWanted | None) -> Constraint:
    """The value is a constant that is not quantised, and its elements are as `wanted`.

    Real numbers are compared as float32.
    """

    def why_not(value: Value) -> str | None:
        if value.data is None:
            return f"{value!r} is not constant"
        if wanted is None:
            return None
        if value.quant is not None:
            return f"constant {value!r} is quantised"
        if callable(wanted):
            return None if wanted(value.data) else f"constant {value!r} is refused by {_text(wanted)}"
        if isinstance(wanted, np.ndarray):
            same = value.data.shape == wanted.shape and np.array_equal(value.data, wanted)
            return None if same else f"constant {value!r} is not the array that the pattern names"
        return None if _all_are(value.data, wanted) else f"constant {value!r} is not {wanted} throughout"

    return why_not


def _all_are(data: Array, number: Number) -> bool:
    if not data.size or data.dtype.kind in "OUS":
        return False
    if data.dtype.kind == "c" or not isinstance(number, float):
        return bool(np.all(data == number))
    expected = np.float32(number)
    first = data.reshape(-1)[:1].astype(np.float32)[0]
    return bool(first == expected and np.all(data.astype(np.float32) == expected))


def _fits(found: AttrValue, wanted: AttrWanted) -> bool:
    if callable(wanted):
        return bool(wanted(found))
    if isinstance(wanted, AbstractSet):
        return any(_same(found, item) for item in wanted)
    return _same(found, wanted)


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, list | tuple):
        return (
            isinstance(wanted, list | tuple)
            and len(found) == len(wanted)
            and all(_same(*pair) for pair in zip(found, wanted, strict=True))
        )
    if isinstance(found, float) and isinstance(wanted, int | float):
        return bool(np.float32(found) == np.float32(wanted))
    return found == wanted


def _text(wanted: object) -> str:
    if callable(wanted):
        return str(getattr(wanted, "__name__", wanted))
    if isinstance(wanted, AbstractSet):
        return " or ".join(sorted(repr(item) for item in wanted))
    return repr(wanted)
