"""slice, strided_slice → SLICE with steps of at least 1; pad_nd → PAD with a constant.

float32 or int32 of rank 1 to 5.  Ranges and paddings are attributes, not tensors; paddings are not negative.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import FLOAT_OR_INT, static_shape, why_not_tensors
from lite.ops.ranges import pad_pairs, slice_of, strided_slice_of
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "slice", "strided_slice")
class Slice:
    """Input → SLICE, and RESHAPE where the op drops axes."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.op == "strided_slice" and min(op.integers("strides"), default=1) < 0:
            return f"strides are {op.integers('strides')}; the device takes positive ones"
        return why_not_tensors(op, "Input", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shape = static_shape(op["Input"])
        begin, end, steps = [0] * len(shape), list(shape), [1] * len(shape)
        for position, axis in enumerate(op.integers("axes")):
            taken = _range(op, position, axis, shape[axis])
            begin[axis], end[axis], steps[axis] = taken.indices(shape[axis])
        part = ctx.builder.add("SLICE", ctx.input(op, "Input"), begin=begin, end=end, steps=steps)
        ctx.output(op, ctx.builder.reshape(part, static_shape(op.output())))


def _range(op: BridgeOp, position: int, axis: int, size: int) -> slice:
    start, end = op.integers("starts")[position], op.integers("ends")[position]
    if op.op == "strided_slice":
        return strided_slice_of(start, end, op.integers("strides")[position], size)
    return slice_of(start, end, size=size, decreased=axis in op.integers("decrease_axis"))


@bridge("sim_npu", "pad_nd")
class Pad:
    """X → PAD."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.text("mode") != "constant":
            return f"the mode is {op.text('mode')}; the device pads with a constant"
        if min(op.integers("paddings"), default=0) < 0:
            return f"paddings are {op.integers('paddings')}; the device takes none below 0"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        before, after = [0] * len(x.shape), [0] * len(x.shape)
        pairs = pad_pairs(op.integers("paddings"))
        axes = [op["X"].axis(axis) for axis in op.integers("axes")] or range(len(x.shape))
        for n, axis in enumerate(axes):
            before[axis] += pairs[2 * n]
            after[axis] += pairs[2 * n + 1]
        ctx.output(op, ctx.builder.add("PAD", x, before=before, after=after, value=op.real("value")))
