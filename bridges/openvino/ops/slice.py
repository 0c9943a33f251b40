"""Ops that take a range of each of some axes."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import numbers, numbers_tensor, unknown_numbers
from lite.bridges.openvino.support import ANY, HIGHEST, refused
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, bridge


def _twice(op: BridgeOp) -> str | None:
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    return f"axes {axes} name one twice" if len(set(axes)) < len(axes) else None


def _within_32_bits(found: list[int]) -> list[int]:
    return [min(max(number, -HIGHEST), HIGHEST) for number in found]


@bridge("openvino", "slice")
class Slice:
    """Slice; the ends may be tensors.  Axes that are decreased go."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, ANY) or _twice(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, rank = ctx.builder, ctx.input(op, "Input"), op["Input"].rank
        axes = [axis % rank for axis in op.integers("axes")]
        decreased = sorted(axis % rank for axis in op.integers("decrease_axis"))
        if axes:
            single = [axis in decreased for axis in axes]
            x = b.op.slice(x, *_ends(op, ctx, single), b.ints([1] * len(axes)), b.ints(axes))
        ctx.output(op, b.op.squeeze(x, b.ints(decreased)) if decreased else x)


def _ends(op: BridgeOp, ctx: Context, single: list[bool]) -> tuple[Tensor, Tensor]:
    """Starts and ends; on an axis of which one element is taken, from -1 to 0 is the last."""
    b = ctx.builder
    slots = ("StartsTensor", "StartsTensorList"), ("EndsTensor", "EndsTensorList")
    starts, ends = numbers(op, "starts", *slots[0]), numbers(op, "ends", *slots[1])
    if starts is not None and ends is not None:
        stops = [
            HIGHEST if one and (start, end) == (-1, 0) else end
            for one, start, end in zip(single, starts, ends, strict=False)
        ]
        count = len(single)
        return b.ints(_within_32_bits(starts)[:count]), b.ints(_within_32_bits(stops))
    start, stop = numbers_tensor(op, ctx, "starts", *slots[0]), numbers_tensor(op, ctx, "ends", *slots[1])
    if any(single):
        last = b.op.logical_and(b.op.equal(start, b.integer(-1)), b.op.equal(stop, b.integer(0)))
        marked = b.op.logical_and(last, b.cast(b.ints([int(one) for one in single]), DType.BOOL))
        stop = b.op.select(marked, b.integer(HIGHEST), stop)
    return start, stop


_STRIDED = {
    "starts": ("StartsTensor", "StartsTensorList"),
    "ends": ("EndsTensor", "EndsTensorList"),
    "strides": ("StridesTensor", "StridesTensorList"),
}


def _why_not_strided(op: BridgeOp) -> str | None:
    reasons = (unknown_numbers(op, name, *slots) for name, slots in _STRIDED.items())
    return next((reason for reason in reasons if reason is not None), None) or _twice(op)


def _strided_slice(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """An end of -1 with a negative stride is before the first element."""
    rank = op["Input"].rank
    axes = [axis % rank for axis in op.integers("axes")]
    decreased = sorted(axis % rank for axis in op.integers("decrease_axis"))
    starts, ends, strides = (numbers(op, name, *slots) or [] for name, slots in _STRIDED.items())
    stops = [-HIGHEST if stride < 0 and end == -1 else end for end, stride in zip(ends, strides, strict=True)]
    if axes:
        parts = (_within_32_bits(found) for found in (starts, stops, strides))
        x = b.op.slice(x, *(b.ints(part) for part in parts), b.ints(axes))
    return b.op.squeeze(x, b.ints(decreased)) if decreased else x


@bridge("openvino", "dynamic_slice")
class DynamicSlice:
    """Slice of ranges that are tensors."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, ANY)
        if reason is None and op.get("Axes") is not None and op.values("Axes") is None:
            return "Axes is a tensor whose numbers are not known"
        count = op["Starts"].dims[0]
        return reason or (None if isinstance(count, int) else "how many axes are cut is not known")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, count = ctx.builder, int(op["Starts"].dims[0])
        steps = ctx.optional(op, "Steps")
        axes = op.values("Axes") or list(range(count))
        ctx.output(
            op,
            b.op.slice(
                ctx.input(op, "Input"),
                b.cast(ctx.input(op, "Starts"), DType.INT64),
                b.cast(ctx.input(op, "Ends"), DType.INT64),
                b.ints([1] * count) if steps is None else b.cast(steps, DType.INT64),
                b.ints([op["Input"].axis(axis) for axis in axes]),
            ),
        )


def _flip(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axes = [op["X"].axis(axis) for axis in op.integers("axis")]
    if not axes:
        return x
    count = len(axes)
    first, last = b.ints([HIGHEST] * count), b.ints([-HIGHEST] * count)
    return b.op.slice(x, first, last, b.ints([-1] * count), b.ints(axes))


def _why_not_roll(op: BridgeOp) -> str | None:
    return unknown_numbers(op, "shifts", "ShiftsTensor")


def _roll(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    shifts, axes = numbers(op, "shifts", "ShiftsTensor") or [], op.integers("axis")
    if axes:
        return b.op.roll(x, b.ints(shifts), b.ints([op["X"].axis(axis) for axis in axes]))
    flat = b.op.roll(b.reshape(x, [-1]), b.ints(shifts), b.ints([0]))
    return b.op.reshape(flat, b.sizes(x), False)


bridge("openvino", "strided_slice")(Row("Input", _strided_slice, ANY, why=_why_not_strided))
bridge("openvino", "flip")(Row("X", _flip, ANY))
bridge("openvino", "roll")(Row("X", _roll, ANY, why=_why_not_roll))
