"""Views → RESHAPE; transpose2 → TRANSPOSE; concat, stack → CONCAT; split → SPLIT.

float32 or int32 of rank 1 to 5; CONCAT joins and SPLIT makes up to 64 tensors.  Shapes, axes and sections are
attributes, not tensors.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import FLOAT_OR_INT, JOINED, static_shape, why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "reshape2", "squeeze2", "unsqueeze2", "flatten2", "flatten_contiguous_range")
class View:
    """X → RESHAPE to the shape that the engine inferred; no node where X has that shape."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.reshape(ctx.input(op, "X"), static_shape(op.output())))


@bridge("sim_npu", "transpose2")
class Transpose:
    """X → TRANSPOSE."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        order = [op["X"].axis(axis) for axis in op.integers("axis")]
        ctx.output(op, ctx.builder.add("TRANSPOSE", ctx.input(op, "X"), order=order))


@bridge("sim_npu", "concat", "stack")
class Join:
    """The tensors of X → CONCAT; for stack, each tensor is reshaped first, to an axis of size 1 more."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        tensors = op.all("X")
        if len(tensors) > JOINED:
            return f"it joins {len(tensors)} tensors; the device joins up to {JOINED}"
        if len({meta.dtype for meta in tensors}) > 1:
            return "its inputs have different element types; the device joins tensors of one"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        tensors, axis = ctx.inputs(op, "X"), op.output().axis(op.integer("axis"))
        if op.op == "stack":
            slice_shape = static_shape(op.output())
            slice_shape[axis] = 1
            tensors = [ctx.builder.reshape(tensor, slice_shape) for tensor in tensors]
        ctx.output(op, ctx.builder.add("CONCAT", *tensors, axis=axis))


@bridge("sim_npu", "split")
class Split:
    """X → SPLIT into the sizes that the engine inferred."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        parts = len(op.outputs("Out"))
        if parts > JOINED:
            return f"it makes {parts} tensors; the device makes up to {JOINED}"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        axis = op["X"].axis(op.integer("axis"))
        parts = [static_shape(meta)[axis] for meta in op.outputs("Out")]
        ctx.outputs(op, "Out", ctx.builder.split(ctx.input(op, "X"), axis, parts))
