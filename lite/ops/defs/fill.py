"""Ops that create a tensor from numbers and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, DType, Lod, Shape
from lite.ops.schema import LOD_BY_KERNEL, Canonical, floats, ints, longs, op
from lite.ops.shape_input import elements
from lite.ops.value_attrs import VALUE_ATTRS
from lite.ops.view import Meta, OpView, product


def range_size(start: float, end: float, step: float, *, allow_empty: bool = False) -> int:
    """How many numbers range makes: from `start` by `step` until before `end`.

    Raises `GraphError` for a step of 0 or, unless `allow_empty`, one that leads away from `end`.
    """
    if allow_empty and step and (end - start) / step < 0:
        return 0
    if step == 0 or not 0 <= (end - start) / step < math.inf:
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
    return Meta(op["Start"].dtype, (range_size(start, end, step, allow_empty=op.flag("allow_empty")),))


def _shape(op: OpView) -> Meta:
    dims = op["Input"].shape
    if dims is None:
        return Meta(DType.INT32, (UNKNOWN,))
    known = [dim for dim in dims if isinstance(dim, int)]
    value = np.array(known, np.int32) if len(known) == len(dims) else None
    return Meta(DType.INT32, (len(dims),), value)


def _is_empty(op: OpView) -> Meta:
    shape = op["X"].shape
    count = None if shape is None else product(shape)
    return Meta(DType.BOOL, (), None if count is None else np.array(count == 0))


def _assign_value(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", DType.FLOAT32), tuple(op.integers("shape")))


def _fill_any_like(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", op["X"].dtype), op["X"].shape)


def _fill_zeros_like(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].shape)


def batch_shape(op: str, shape: Sequence[int], dims: Shape, lod: Lod, indices: tuple[int, int]) -> Shape:
    """`shape` with one size replaced: at `indices[1]` stands that of the input's axis `indices[0]`.

    The size of axis 0 of an input with LoD is its number of sequences.
    """
    source, target = indices
    if not -len(dims) <= source < len(dims) or not -len(shape) <= target < len(shape):
        raise GraphError(
            f"{op}: input_dim_idx, output_dim_idx: expected axes of {dims} and {shape}, got {indices}"
        )
    result: list[Dim] = list(shape)
    result[target] = len(lod[-1]) - 1 if lod and source == 0 else dims[source]
    return tuple(result)


def _batch_size_like(op: OpView) -> Meta:
    indices = (op.integer("input_dim_idx"), op.integer("output_dim_idx"))
    source = op["Input"]
    shape = batch_shape(op.op, op.integers("shape"), source.dims, source.lod, indices)
    return Meta(op.dtype("dtype", DType.FLOAT32), shape)


def _linspace(op: OpView) -> Meta:
    count = op.values("Num")
    if count and count[0] < 1:
        raise op.error("slot Num", "at least 1", count[0])
    return Meta(op.dtype("dtype", op["Start"].dtype), (count[0] if count else UNKNOWN,))


def _cosine_window(op: OpView) -> Meta:
    size = op.values("Size")
    return Meta(op.dtype("dtype", DType.FLOAT32), (size[0] if size else UNKNOWN,))


_SHAPE_SLOTS = {"ShapeTensorList": "shape", "ShapeTensor": "shape"}

op(
    "fill_constant",
    "ValueTensor? ShapeTensor?:index ShapeTensorList?*:index",
    "Out",
    _fill,
    attrs={"shape": longs(), "dtype": 5, "value": 0.0, "str_value": ""},
    attr_slots=_SHAPE_SLOTS,
)
# allow_empty is ours: a step that leads away from the end makes no numbers, as in ONNX.
op("range", "Start End Step", "Out", _range, attrs={"allow_empty": False})
op("shape", "Input", "Out", _shape)
op("is_empty", "X", "Out", _is_empty)
op(
    "empty",
    "ShapeTensor?:index ShapeTensorList?*:index",
    "Out",
    _fill,
    attrs={"shape": longs(), "dtype": 5},
    attr_slots=_SHAPE_SLOTS,
)
op("assign_value", "", "Out", _assign_value, attrs={"shape": ints(), "dtype": 5, **VALUE_ATTRS})
op("fill_any_like", "X", "Out", _fill_any_like, attrs={"value": 0.0, "dtype": -1}, lod="X")
op(
    "fill_zeros_like",
    "X",
    "Out",
    _fill_zeros_like,
    lod="X",
    canonical=Canonical("fill_any_like", lambda _: {"value": 0.0, "dtype": -1}),
)
op(
    "fill_constant_batch_size_like",
    "Input",
    "Out",
    _batch_size_like,
    attrs={
        "shape": ints(),
        "dtype": 5,
        "value": 0.0,
        "str_value": "",
        "input_dim_idx": 0,
        "output_dim_idx": 0,
    },
    lod=LOD_BY_KERNEL,
)
# ONNX EyeLike: zeros with ones on one diagonal.
op("eye_like", "X/2", "Out", _fill_any_like, attrs={"diagonal": 0, "dtype": -1})
# ONNX's windows of signal processing: sums of cosines over Size points.
op(
    "cosine_window",
    "Size:index",
    "Out",
    _cosine_window,
    attrs={"coefficients": floats(1.0), "periodic": True, "dtype": 5},
)
op("linspace", "Start Stop Num:index", "Out", _linspace, attrs={"dtype": 5})
