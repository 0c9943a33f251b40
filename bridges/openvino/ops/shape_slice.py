"""slice, strided_slice, dynamic_slice, flip → Slice; roll → Roll (opset 15).

All types but float64.  The bounds of slice and dynamic_slice may be computed; strided_slice needs known
bounds, roll known shifts; no axis is sliced twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import ANY, SLICE_END, why_not_tensors
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import integer_tensor, known_integers, why_not_unknown_integers
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_axes(op: BridgeOp) -> str | None:
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    return f"axes are {axes}; OpenVINO slices an axis once" if len(set(axes)) < len(axes) else None


def _within_32_bits(numbers: Sequence[int]) -> list[int]:
    return [min(max(number, -SLICE_END), SLICE_END) for number in numbers]


def _known_starts(
    b: Builder, op: BridgeOp, x: Tensor, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]
) -> Tensor:
    """Starts as a tensor, counted from the first element where the end is.

    OpenVINO 2026.4 infers a wrong largest size of an axis of unknown size if only the start is negative.
    """
    dims, limited = op["Input"].dims, _within_32_bits(starts)
    counted_back = [
        isinstance(dims[axis], str) and -SLICE_END < start < 0 <= end < SLICE_END
        for axis, start, end in zip(axes, limited, ends, strict=False)
    ]
    if not any(counted_back):
        return b.ints(limited)
    sizes = b.op.gather(b.sizes(x), b.ints(axes), b.integer(0))
    moved = b.op.add(b.ints(limited), b.op.multiply(sizes, b.ints([int(each) for each in counted_back])))
    return b.op.maximum(moved, b.ints([0 if each else -SLICE_END for each in counted_back]))


@bridge("openvino", "slice")
class Slice:
    """Input → Slice, and Squeeze of the axes in `decrease_axis`; the bounds may be tensors."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, ANY) or _why_not_axes(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, rank = ctx.builder, ctx.input(op, "Input"), op["Input"].rank
        axes = [axis % rank for axis in op.integers("axes")]
        decreased = sorted(axis % rank for axis in op.integers("decrease_axis"))
        if axes:
            single = [axis in decreased for axis in axes]
            x = b.op.slice(x, *_bounds(op, ctx, x, axes, single), b.ints([1] * len(axes)), b.ints(axes))
        ctx.output(op, b.op.squeeze(x, b.ints(decreased)) if decreased else x)


def _bounds(
    op: BridgeOp, ctx: Context, x: Tensor, axes: Sequence[int], single: Sequence[bool]
) -> tuple[Tensor, Tensor]:
    """Starts and ends; from -1 to 0 is the last element on an axis that is `single`, one that is dropped."""
    b = ctx.builder
    slots = ("StartsTensor", "StartsTensorList"), ("EndsTensor", "EndsTensorList")
    starts, ends = known_integers(op, "starts", *slots[0]), known_integers(op, "ends", *slots[1])
    if starts is not None and ends is not None:
        stops = [
            SLICE_END if one and (start, end) == (-1, 0) else end
            for one, start, end in zip(single, starts, ends, strict=False)
        ]
        count = len(single)
        return _known_starts(b, op, x, axes, starts[:count], stops), b.ints(_within_32_bits(stops))
    start, stop = (
        integer_tensor(op, ctx, name, *names) for name, names in zip(("starts", "ends"), slots, strict=True)
    )
    if any(single):
        last = b.op.logical_and(b.op.equal(start, b.integer(-1)), b.op.equal(stop, b.integer(0)))
        marked = b.op.logical_and(last, b.cast(b.ints([int(one) for one in single]), DType.BOOL))
        stop = b.op.select(marked, b.integer(SLICE_END), stop)
    return start, stop


_STRIDED = {
    "starts": ("StartsTensor", "StartsTensorList"),
    "ends": ("EndsTensor", "EndsTensorList"),
    "strides": ("StridesTensor", "StridesTensorList"),
}


def _why_not_strided(op: BridgeOp) -> str | None:
    reasons = (why_not_unknown_integers(op, name, *slots) for name, slots in _STRIDED.items())
    reason = next((reason for reason in reasons if reason is not None), None)
    return reason or _why_not_axes(op) or _why_not_backwards(op)


def _why_not_backwards(op: BridgeOp) -> str | None:
    """OpenVINO 2026.4 infers wrong limits of such a size."""
    dims = op["Input"].dims
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    bounds = (known_integers(op, name, *slots) or [] for name, slots in _STRIDED.items())
    for axis, start, end, stride in zip(axes, *bounds, strict=False):
        if isinstance(dims[axis], str) and stride < 0 <= start < SLICE_END and -SLICE_END < end < -1:
            return f"an axis of unknown size is sliced from {start} back to {end}"
    return None


def _strided_slice(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """An end of -1 with a negative stride is before the first element."""
    rank = op["Input"].rank
    axes = [axis % rank for axis in op.integers("axes")]
    decreased = sorted(axis % rank for axis in op.integers("decrease_axis"))
    starts, ends, strides = (known_integers(op, name, *slots) or [] for name, slots in _STRIDED.items())
    stops = [
        -SLICE_END if stride < 0 and end == -1 else end for end, stride in zip(ends, strides, strict=True)
    ]
    if axes:
        first = _known_starts(b, op, x, axes, starts, stops)
        last, steps = (b.ints(_within_32_bits(numbers)) for numbers in (stops, strides))
        x = b.op.slice(x, first, last, steps, b.ints(axes))
    return b.op.squeeze(x, b.ints(decreased)) if decreased else x


@bridge("openvino", "dynamic_slice")
class DynamicSlice:
    """Input → Slice; the bounds are tensors."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, ANY)
        if reason is None and op.get("Axes") is not None and op.values("Axes") is None:
            return "Axes is a tensor whose numbers are not known"
        count = op["Starts"].dims[0]
        return reason or (None if isinstance(count, int) else "the number of sliced axes is not known")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, count = ctx.builder, ctx.input(op, "Input"), int(op["Starts"].dims[0])
        steps = ctx.optional(op, "Steps")
        axes = [op["Input"].axis(axis) for axis in op.values("Axes") or list(range(count))]
        starts, ends = op.values("Starts"), op.values("Ends")
        if starts is None or ends is None or steps is not None:
            first = b.cast(ctx.input(op, "Starts"), DType.INT64)
        else:
            first = _known_starts(b, op, x, axes, starts, ends)
        strides = b.ints([1] * count) if steps is None else b.cast(steps, DType.INT64)
        stop = b.cast(ctx.input(op, "Ends"), DType.INT64)
        ctx.output(op, b.op.slice(x, first, stop, strides, b.ints(axes)))


def _flip(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axes = [op["X"].axis(axis) for axis in op.integers("axis")]
    if not axes:
        return x
    count = len(axes)
    first, last = b.ints([SLICE_END] * count), b.ints([-SLICE_END] * count)
    return b.op.slice(x, first, last, b.ints([-1] * count), b.ints(axes))


def _why_not_roll(op: BridgeOp) -> str | None:
    return why_not_unknown_integers(op, "shifts", "ShiftsTensor")


def _roll(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    shifts, axes = known_integers(op, "shifts", "ShiftsTensor") or [], op.integers("axis")
    if axes:
        return b.op.roll(x, b.ints(shifts), b.ints([op["X"].axis(axis) for axis in axes]))
    flat = b.op.roll(b.reshape(x, [-1]), b.ints(shifts), b.ints([0]))
    return b.op.reshape(flat, b.sizes(x), False)


bridge("openvino", "strided_slice")(Row("Input", _strided_slice, ANY, check=_why_not_strided))
bridge("openvino", "flip")(Row("X", _flip, ANY))
bridge("openvino", "roll")(Row("X", _roll, ANY, check=_why_not_roll))
