"""The numbers of a tensor as attributes: one list for each element type that Paddle writes so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.program import AttrType
from lite.ir.types import Array, DType
from lite.ops.schema import Attr, floats, ints, longs

VALUE_ATTRS: Mapping[str, Attr] = {
    "bool_values": ints(),
    "fp32_values": floats(),
    "fp64_values": Attr(AttrType.FLOAT64S, []),
    "int32_values": ints(),
    "int64_values": longs(),
    "values": Attr(AttrType.SCALARS, []),
}
"""Attributes of assign_value and set_value; ``values`` is what programs from Paddle 2.5 on write."""

_LISTS = {
    DType.BOOL: "bool_values",
    DType.FLOAT32: "fp32_values",
    DType.FLOAT64: "fp64_values",
    DType.INT32: "int32_values",
    DType.INT64: "int64_values",
}


def value_array(op: str, dtype: DType, **lists: Sequence[float]) -> Array:
    """The one-dimensional array of `dtype` that the lists give; raises `GraphError` where only others do."""
    found = lists["values"] or lists.get(_LISTS.get(dtype, ""), [])
    named = [name for name, numbers in lists.items() if numbers]
    if named and not found:
        raise GraphError(f"{op}: expected values of type {dtype}, got the attributes {named}")
    return np.array(found).astype(dtype.numpy)
