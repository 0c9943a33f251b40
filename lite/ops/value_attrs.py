"""Elements of a tensor as attributes: a list for each dtype, or the single value of fill_constant."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.errors import GraphError
from lite.ir.attributes import Attributes
from lite.ir.program import AttrType, AttrValue
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
    """The value of fill_constant: `text` unless it is empty, because it represents large integers exactly."""
    if not text:
        return int(value) if dtype.is_integer else value
    if dtype.is_integer and text.lstrip("+-").isdigit():
        return int(text)
    try:
        number = float(text)
    except ValueError as error:
        raise GraphError(f"fill_constant: attribute str_value: expected a number, got {text!r}") from error
    return int(number) if dtype.is_integer else number


def value_array(op: str, attrs: Mapping[str, AttrValue]) -> Array:
    """The tensor of the attributes `shape` and `dtype`, with elements from the list for this dtype.

    Raises `GraphError` where only lists for other dtypes have elements.
    """
    reader = Attributes(op, attrs)
    dtype = DType.from_code(reader.integer("dtype"))
    elements = attrs["values"] or attrs.get(_LISTS.get(dtype, ""), [])
    filled = [name for name in VALUE_ATTRS if attrs[name]]
    if filled and not elements:
        raise GraphError(f"{op}: expected values of type {dtype}, got the attributes {filled}")
    return np.array(elements).astype(dtype.numpy).reshape(reader.integers("shape"))
