"""Ops that keep, drop or place elements by a condition."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, DType
from lite.ops.rules import broadcast_right
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Meta, OpView


def _where(op: OpView) -> Meta:
    x, y, condition = op["X"], op["Y"], op["Condition"]
    both = broadcast_right(op, x.dims, y.dims)
    return Meta(x.dtype, broadcast_right(op, condition.dims, both))


def _where_index(op: OpView) -> Meta:
    return Meta(DType.INT64, (UNKNOWN, op["Condition"].rank))


def _tril_triu(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].shape)


def _split_lod(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    part = Meta(x.dtype, (UNKNOWN, *x.dims[1:]))
    return {"OutTrue": part, "OutFalse": part}


def _merge_lod(op: OpView) -> Meta:
    part = op["InTrue"]
    return Meta(part.dtype, (UNKNOWN, *part.dims[1:]))


op("where", "Condition:bool X Y", "Out", _where)
op("where_index", "Condition", "Out", _where_index)
op(
    "tril_triu",
    "X/2- DiagonalTensor?:index",
    "Out",
    _tril_triu,
    attrs={"diagonal": 0, "lower": True},
    attr_slots={"DiagonalTensor": "diagonal"},
)
op(
    "split_lod_tensor",
    "X/1- Mask:bool",
    "OutTrue OutFalse",
    _split_lod,
    attrs={"level": 0},
    lod=LOD_BY_KERNEL,
)
op(
    "merge_lod_tensor",
    "X Mask:bool InTrue/1- InFalse/1-",
    "Out",
    _merge_lod,
    attrs={"level": 0},
    lod=LOD_BY_KERNEL,
)
