"""set_value."""

from __future__ import annotations

from lite.ops.schema import longs, op
from lite.ops.value_attrs import VALUE_ATTRS
from lite.ops.view import Meta, OpView


def _set_value(op: OpView) -> Meta:
    x = op["Input"]
    outside = [axis for axis in op.integers("axes") if not -x.rank <= axis < x.rank]
    if outside:
        raise op.error("attribute axes", f"axes of {x}", outside)
    return Meta(x.dtype, x.shape)


op(
    "set_value",
    "Input ValueTensor? StartsTensorList?*:index EndsTensorList?*:index StepsTensorList?*:index",
    "Out",
    _set_value,
    attrs={
        "axes": longs(),
        "starts": longs(),
        "ends": longs(),
        "steps": longs(),
        "decrease_axes": longs(),
        "none_axes": longs(),
        "shape": longs(),
        "dtype": 5,
        **VALUE_ATTRS,
    },
    lod="Input",
    inplace={"Out": "Input"},
    attr_slots={"StartsTensorList": "starts", "EndsTensorList": "ends", "StepsTensorList": "steps"},
)
