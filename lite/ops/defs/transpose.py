"""Ops that reorder elements along axes: transpose, flip, roll."""

from __future__ import annotations

from lite.errors import GraphError
from lite.ops.schema import ints, longs, op
from lite.ops.view import Inferred, Meta, OpView


def _transpose(op: OpView) -> Inferred:
    x = op["X"]
    axes = [x.axis(axis) for axis in op.integers("axis")]
    if sorted(axes) != list(range(x.rank)):
        raise op.error("attribute axis", f"a permutation of the {x.rank} axes of {x}", op.integers("axis"))
    return {"Out": Meta(x.dtype, tuple(x.dims[axis] for axis in axes)), "XShape": Meta(x.dtype, (0, *x.dims))}


def _moved(op: OpView) -> Meta:
    x = op["X"]
    if x.is_array:
        return Meta(x.dtype, None, is_array=True)
    outside = [axis for axis in op.integers("axis") if not -x.rank <= axis < x.rank]
    if outside:
        raise op.error("attribute axis", f"axes of {x}", outside)
    return Meta(x.dtype, x.shape)


def _roll(op: OpView) -> Meta:
    axes = op.integers("axis")
    if op.get("ShiftsTensor") is None and len(op.integers("shifts")) != max(len(axes), 1):
        raise op.error("attribute shifts", f"one shift for each of the axes {axes}", op.integers("shifts"))
    return _moved(op)


def roll_shifts(axes: list[int], shifts: list[int]) -> list[int]:
    """`shifts` when there is one for each of `axes` (one alone without axes); else raises `GraphError`."""
    if len(shifts) != max(len(axes), 1):
        raise GraphError(f"roll: shifts: expected one for each of the axes {axes}, got {shifts}")
    return shifts


op("transpose2", "X", "Out XShape?", _transpose, attrs={"axis": ints()})
op("transpose", "X", "Out", _transpose, attrs={"axis": ints()}, canonical="transpose2")
op("flip", "X", "Out", _moved, attrs={"axis": ints()}, lod="X")
op("reverse", "X", "Out", _moved, attrs={"axis": ints()}, lod="X", canonical="flip")
op(
    "roll",
    "X ShiftsTensor?:index",
    "Out",
    _roll,
    attrs={"axis": longs(), "shifts": longs()},
    attr_slots={"ShiftsTensor": "shifts"},
)
