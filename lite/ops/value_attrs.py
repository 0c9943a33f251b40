"""Elements of a tensor as attributes: one list for each element type, and fill_constant's single value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.program import AttrType
from lite.ir.types import Array, DType
from lite.ops.attrs import Attr, floats, ints, longs

VALUE_ATTRS: Mapping[str, Attr] = {
    "bool_values": ints(),
    "fp32_values": floats(),
    "fp64_values": Attr(AttrType.FLOAT64S, []),
    "int32_values": ints(),
    "int64_values": longs(),
    "values": Attr(AttrType.SCALARS, []),
}
"""Attributes of assign_value and set_value; programs from Paddle 2.5 on use ``values``."""

_LISTS = {
    DType.BOOL: "bool_values",
    DType.FLOAT32: "fp32_values",
    DType.FLOAT64: "fp64_values",
    DType.INT32: "int32_values",
    DType.INT64: "int64_values",
}


def constant_value(value: float, text: str, dtype: DType) -> float | int:
    """fill_constant's value: `text` where it is not empty (it keeps large integers exact)."""
    if not text:
        return int(value) if dtype.is_integer else value
    if dtype.is_integer and text.lstrip("+-").isdigit():
        return int(text)
    try:
        number = float(text)
    except ValueError as error:
        raise GraphError(f"fill_constant: attribute str_value: expected a number, got {text!r}") from error
    return int(number) if dtype.is_integer else number


def value_array(op: str, dtype: DType, **lists: Sequence[float]) -> Array:
    """The one-dimensional array of `dtype` in the lists.

    Raises `GraphError` where only the lists of other element types have elements.
    """
    elements = lists["values"] or lists.get(_LISTS.get(dtype, ""), [])
    filled = [name for name, numbers in lists.items() if numbers]
    if filled and not elements:
        raise GraphError(f"{op}: expected values of type {dtype}, got the attributes {filled}")
    return np.array(elements).astype(dtype.numpy)
