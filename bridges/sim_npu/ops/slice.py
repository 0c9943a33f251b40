"""slice and strided_slice → SLICE, which goes forward alone."""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import FLOAT_OR_INT, sizes, why_not_tensors
from lite.ops.defs.slice import slice_of, strided_slice_of
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "slice", "strided_slice")
class Slice:
    """Ranges of some axes; a RESHAPE drops those of one element that the op drops."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.op == "strided_slice" and min(op.integers("strides"), default=1) < 0:
            return f"strides are {op.integers('strides')}; the device's go forward"
        return why_not_tensors(op, "Input", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shape = sizes(op["Input"])
        begin, end, steps = [0] * len(shape), list(shape), [1] * len(shape)
        for place, axis in enumerate(op.integers("axes")):
            cut = _cut(op, place, axis, shape[axis])
            begin[axis], end[axis], steps[axis] = cut.indices(shape[axis])
        found = ctx.builder.add("SLICE", ctx.input(op, "Input"), begin=begin, end=end, steps=steps)
        ctx.output(op, ctx.builder.reshape(found, sizes(op.output())))


def _cut(op: BridgeOp, place: int, axis: int, size: int) -> slice:
    start, end = op.integers("starts")[place], op.integers("ends")[place]
    if op.op == "strided_slice":
        return strided_slice_of(start, end, op.integers("strides")[place], size)
    return slice_of(start, end, size=size, decreased=axis in op.integers("decrease_axis"))
