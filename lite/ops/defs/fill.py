"""Ops that make a tensor from numbers and shapes, and random numbers.

A random op with the same `seed` draws the same numbers at each run: results are reproducible, and a
seed of 0 is a seed like any other.  Random ops are never folded into constants.
"""

from __future__ import annotations

import numpy as np

from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import floats, ints, longs, number
from lite.ops.new_shape import batch_shape, shape_of
from lite.ops.ranges import range_size
from lite.ops.rules import same_as
from lite.ops.schema import LOD_BY_KERNEL, Canonical, op
from lite.ops.shape_input import elements
from lite.ops.value_attrs import VALUE_ATTRS
from lite.ops.view import Meta, OpView, product


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
    sizes = [dim for dim in dims if isinstance(dim, int)]
    value = np.array(sizes, np.int32) if len(sizes) == len(dims) else None
    return Meta(DType.INT32, (len(dims),), value)


def _size(op: OpView) -> Meta:
    shape = op["Input"].shape
    count = None if shape is None else product(shape)
    return Meta(DType.INT64, (), None if count is None else np.array(count))


def _is_empty(op: OpView) -> Meta:
    shape = op["X"].shape
    count = None if shape is None else product(shape)
    return Meta(DType.BOOL, (), None if count is None else np.array(count == 0))


def _assign_value(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", DType.FLOAT32), tuple(op.integers("shape")))


def _fill_any_like(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", op["X"].dtype), op["X"].shape)


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


def _logspace(op: OpView) -> Meta:
    count = op.values("Num")
    return Meta(op.dtype("dtype", DType.FLOAT32), (count[0] if count else UNKNOWN,))


def _cosine_window(op: OpView) -> Meta:
    size = op.values("Size")
    return Meta(op.dtype("dtype", DType.FLOAT32), (size[0] if size else UNKNOWN,))


_SHAPE_SLOTS = {"ShapeTensorList": "shape", "ShapeTensor": "shape"}

op(
    "fill_constant",
    "A tensor filled with one value.",
    "ValueTensor? ShapeTensor?:index ShapeTensorList?*:index",
    "Out",
    _fill,
    attrs={"shape": longs(), "dtype": 5, "value": 0.0, "str_value": ""},
    attr_slots=_SHAPE_SLOTS,
)
# allow_empty is litebridge's own: a step that leads away from the end gives no numbers, as in ONNX.
op(
    "range",
    "Numbers from Start by Step until before End.",
    "Start End Step",
    "Out",
    _range,
    attrs={"allow_empty": False},
)
op("shape", "Sizes of the axes, as int32.", "Input", "Out", _shape)
op("size", "Number of elements, as int64.", "Input", "Out", _size)
op("is_empty", "Whether the tensor has no element.", "X", "Out", _is_empty)
op(
    "empty",
    "A tensor of zeros.",
    "ShapeTensor?:index ShapeTensorList?*:index",
    "Out",
    _fill,
    attrs={"shape": longs(), "dtype": 5},
    attr_slots=_SHAPE_SLOTS,
)
op(
    "assign_value",
    "A tensor of values held in attributes.",
    "",
    "Out",
    _assign_value,
    attrs={"shape": ints(), "dtype": 5, **VALUE_ATTRS},
)
op(
    "fill_any_like",
    "A tensor shaped like X, filled with one value.",
    "X",
    "Out",
    _fill_any_like,
    attrs={"value": 0.0, "dtype": -1},
    lod="X",
)
op(
    "fill_zeros_like",
    "Old spelling of fill_any_like, with zeros.",
    "X",
    "Out",
    same_as("X"),
    lod="X",
    canonical=Canonical("fill_any_like", lambda _: {"value": 0.0, "dtype": -1}),
)
op(
    "fill_constant_batch_size_like",
    "A tensor of one value with the batch size of Input.",
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
op(
    "eye_like",
    "Zeros with ones on one diagonal, shaped like X, after ONNX EyeLike.",
    "X/2",
    "Out",
    _fill_any_like,
    attrs={"diagonal": 0, "dtype": -1},
)
op(
    "cosine_window",
    "A sum of cosines over Size points, after ONNX HannWindow, HammingWindow, BlackmanWindow.",
    "Size:index",
    "Out",
    _cosine_window,
    attrs={"coefficients": floats(1.0), "periodic": True, "dtype": 5},
)
op(
    "linspace",
    "Num numbers at equal distances from Start to Stop.",
    "Start Stop Num:index",
    "Out",
    _linspace,
    attrs={"dtype": 5},
)


def _multinomial(op: OpView) -> Meta:
    return Meta(DType.INT64, (*op["X"].dims[:-1], op.integer("num_samples")))


def _sampling_id(op: OpView) -> Meta:
    return Meta(DType.INT64, op["X"].dims[:1])


_RANGE = {"min": -1.0, "max": 1.0, "diag_num": 0, "diag_step": 0, "diag_val": 1.0}

for _name, _about, _attrs in (
    ("gaussian_random", "Normally distributed random numbers.", {"mean": 0.0, "std": 1.0}),
    ("uniform_random", "Uniformly distributed random numbers.", _RANGE),
):
    op(
        _name,
        _about,
        "ShapeTensor?:index ShapeTensorList?*:index",
        "Out",
        _fill,
        attrs={"shape": longs(), "dtype": 5, "seed": 0, **_attrs},
        foldable=False,
        attr_slots=_SHAPE_SLOTS,
    )
# seed is litebridge's own: Paddle uses the seed of its device.
op(
    "multinomial",
    "Indices drawn with the probabilities in the rows of X.",
    "X:float/1-2",
    "Out",
    _multinomial,
    attrs={"num_samples": number(1, 1), "replacement": False, "seed": 0},
    foldable=False,
)
op(
    "sampling_id",
    "One index per row of X, drawn with its probabilities.",
    "X:float/2",
    "Out",
    _sampling_id,
    attrs={"min": 0.0, "max": 1.0, "seed": 0},
    foldable=False,
)
op(
    "logspace",
    "Base to the power of Num evenly spaced numbers from Start to Stop.",
    "Start:number/0-1 Stop:number/0-1 Num:index/0-1 Base:number/0-1",
    "Out",
    _logspace,
    attrs={"dtype": 5},
)
