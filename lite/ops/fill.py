"""Ops that create a tensor from numbers and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, DType, Shape
from lite.ops.schema import Attr, floats, longs, op
from lite.ops.shape_input import element, elements
from lite.ops.view import Meta, OpView, product


def range_size(start: float, end: float, step: float) -> int:
    """How many numbers range makes: from `start` by `step` until before `end`.

    Raises `GraphError` for a step of 0 or one that leads away from `end`.
    """
    if step == 0 or (end - start) / step < 0:
        raise GraphError(f"range: expected a Step that leads from {start} to {end}, got {step}")
    return math.ceil((end - start) / step)


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


def shape_of(numbers: Sequence[int | None] | None) -> Shape | None:
    """The shape that an op's shape input says, as far as it is known."""
    if numbers is None:
        return None
    return tuple(UNKNOWN if number is None or number < 0 else number for number in numbers)


def _fill(op: OpView) -> Meta:
    shape = shape_of(elements(op, "shape", "ShapeTensor", "ShapeTensorList"))
    return Meta(op.dtype("dtype", DType.FLOAT32), shape)


def _range(op: OpView) -> Meta:
    numbers = [op[slot].value for slot in ("Start", "End", "Step")]
    start, end, step = (None if number is None else number.reshape(-1)[0] for number in numbers)
    if start is None or end is None or step is None:
        return Meta(op["Start"].dtype, (UNKNOWN,))
    return Meta(op["Start"].dtype, (range_size(start, end, step),))


def _shape(op: OpView) -> Meta:
    dims = op["Input"].dims
    known = [dim for dim in dims if isinstance(dim, int)]
    value = np.array(known, np.int32) if len(known) == len(dims) else None
    return Meta(DType.INT32, (len(dims),), value)


def _is_empty(op: OpView) -> Meta:
    shape = op["X"].shape
    count = None if shape is None else product(shape)
    return Meta(DType.BOOL, (), None if count is None else np.array(count == 0))


op(
    "fill_constant",
    "ValueTensor? ShapeTensor?:index ShapeTensorList?*:index",
    "Out",
    _fill,
    attrs={"shape": longs(), "dtype": 5, "value": 0.0, "str_value": ""},
    attr_slots={"ShapeTensorList": "shape", "ShapeTensor": "shape"},
)
op("range", "Start End Step", "Out", _range)
op("shape", "Input", "Out", _shape)
op("is_empty", "X", "Out", _is_empty)
