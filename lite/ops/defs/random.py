"""Ops that draw random numbers.

The same op with the same `seed` draws the same numbers at each run: results are reproducible, and a
seed of 0 is a seed like any other.  None is ever folded into a constant.
"""

from __future__ import annotations

from lite.ir.types import DType
from lite.ops.defs.fill import shape_of
from lite.ops.schema import longs, number, op
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView


def _drawn(op: OpView) -> Meta:
    shape = shape_of(elements(op, "shape", "ShapeTensor", "ShapeTensorList"))
    return Meta(op.dtype("dtype", DType.FLOAT32), shape)


def _multinomial(op: OpView) -> Meta:
    return Meta(DType.INT64, (*op["X"].dims[:-1], op.integer("num_samples")))


def _sampling_id(op: OpView) -> Meta:
    return Meta(DType.INT64, op["X"].dims[:1])


for _name, _attrs in (
    ("gaussian_random", {"mean": 0.0, "std": 1.0}),
    ("uniform_random", {"min": -1.0, "max": 1.0, "diag_num": 0, "diag_step": 0, "diag_val": 1.0}),
):
    op(
        _name,
        "ShapeTensor?:index ShapeTensorList?*:index",
        "Out",
        _drawn,
        attrs={"shape": longs(), "dtype": 5, "seed": 0, **_attrs},
        foldable=False,
        attr_slots={"ShapeTensorList": "shape", "ShapeTensor": "shape"},
    )
# seed is ours: Paddle takes that of its device.
op(
    "multinomial",
    "X:float/1-2",
    "Out",
    _multinomial,
    attrs={"num_samples": number(1, 1), "replacement": False, "seed": 0},
    foldable=False,
)
op(
    "sampling_id",
    "X:float/2",
    "Out",
    _sampling_id,
    attrs={"min": 0.0, "max": 1.0, "seed": 0},
    foldable=False,
)
