"""slice, strided_slice, dynamic_slice, crop, flip, roll → Slice (ONNX opset 21).

Bounds may be computed with positive steps; crop and roll need known sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import integer_tensor, known_integers, require_integers
from lite.ir.types import Dim, DType
from lite.ops.ranges import crop_offsets
from lite.plugin.device import BridgeOp

_END = int(np.iinfo(np.int64).max)


_FRONT = int(np.iinfo(np.int64).min)


@converts("slice")
def slice_(op: BridgeOp, ctx: Context) -> None:
    """slice → Slice, and Squeeze of the axes in `decrease_axis`."""
    b, axes, dropped = ctx.builder, op.integers("axes"), op.integers("decrease_axis")
    x = ctx.input(op, "Input")
    starts, ends = (known_integers(op, name, *_slots(name)) for name in ("starts", "ends"))
    if starts is not None and ends is not None:
        last = [
            _END if axis in dropped and start == -1 and end == 0 else end
            for axis, start, end in zip(axes, starts, ends, strict=False)
        ]
        result = _slice(op, ctx, x, axes, starts, last, [1] * len(axes))
    else:
        start, end = (integer_tensor(op, ctx, name, *_slots(name)) for name in ("starts", "ends"))
        if dropped:
            # The range from -1 to 0 is the index -1, the last element.
            is_last = b.add("Equal", start, b.ints(-1), dtype=DType.BOOL)
            ends_at_0 = b.add("Equal", end, b.ints(0), dtype=DType.BOOL)
            is_index = b.array(np.array([axis in dropped for axis in axes]))
            chosen = b.add("And", b.add("And", is_last, ends_at_0), is_index)
            end = b.add("Where", chosen, b.ints(_END), end, dtype=DType.INT64)
        result = b.add("Slice", x, start, end, b.ints(*axes))
    ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))


@converts("strided_slice")
def strided_slice(op: BridgeOp, ctx: Context) -> None:
    """strided_slice → Slice with steps; with a negative step, an end of -1 is before the first element."""
    b, axes, dropped = ctx.builder, op.integers("axes"), op.integers("decrease_axis")
    strides = require_integers(op, "strides", *_slots("strides"))
    starts, ends = (known_integers(op, name, *_slots(name)) for name in ("starts", "ends"))
    if starts is None or ends is None:
        if min(strides, default=1) < 0 or len(set(axes)) < len(axes):
            raise Declined(
                "starts and ends must be constant for negative strides and for an axis that is sliced twice"
            )
        bounds = [integer_tensor(op, ctx, name, *_slots(name)) for name in ("starts", "ends")]
        result = b.add("Slice", ctx.input(op, "Input"), *bounds, b.ints(*axes), b.ints(*strides))
        ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))
        return
    last = [_FRONT if stride < 0 and end == -1 else end for end, stride in zip(ends, strides, strict=False)]
    result = _slice(op, ctx, ctx.input(op, "Input"), axes, starts, last, strides)
    ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))


def _slice(
    op: BridgeOp,
    ctx: Context,
    x: Tensor,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    """A Slice; for an axis that is listed twice, the last range."""
    ranges = {
        axis % op["Input"].rank: _onnx_range(op["Input"].dims[axis], start, end, step)
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=False)
    }
    first, last, step = (
        (list(part) for part in zip(*ranges.values(), strict=True)) if ranges else ([], [], [])
    )
    return ctx.builder.slice(x, first, last, list(ranges), step)


def _onnx_range(dim: Dim, start: int, end: int, step: int) -> tuple[int, int, int]:
    """A range as ONNX's Slice takes it.

    With a negative step and a start before the first element, Python takes no element, ONNX the first one.
    """
    if step > 0 or start >= -1:
        return start, end, step
    if not isinstance(dim, int):
        raise Declined(f"the size of an axis must be known for a negative step from {start}")
    return (0, 0, 1) if start < -dim else (start, end, step)


def _slots(name: str) -> tuple[str, str]:
    return f"{name.title()}TensorList", f"{name.title()}Tensor"


@converts("dynamic_slice")
def dynamic_slice(op: BridgeOp, ctx: Context) -> None:
    """dynamic_slice → Slice."""
    b, x = ctx.builder, ctx.input(op, "Input")
    inputs = [ctx.optional(op, slot) for slot in ("Starts", "Ends", "Axes", "Steps")]
    starts, ends, axes, steps = (None if t is None else b.cast(t, DType.INT64) for t in inputs)
    ctx.output(op, b.add("Slice", x, starts, ends, axes, steps))


@converts("crop", "crop_tensor")
def crop(op: BridgeOp, ctx: Context) -> None:
    """crop, crop_tensor → Slice with known offsets and sizes."""
    rank = op["X"].rank
    if op.op == "crop":
        offsets = require_integers(op, "offsets", "Offsets")
        y = op.get("Y")
        shape = op.integers("shape") if y is None else list(y.dims)
    else:
        offsets = require_integers(op, "offsets", "OffsetsTensor", "Offsets")
        shape = list(require_integers(op, "shape", "ShapeTensor", "Shape"))
    starts = crop_offsets(offsets, rank)
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) < len(shape):
        raise Declined(f"every size of the result must be known, got {shape}")
    ends = [_END if size == -1 else start + size for start, size in zip(starts, sizes, strict=True)]
    ctx.output(op, ctx.builder.slice(ctx.input(op, "X"), starts, ends, range(rank)))


@converts("flip")
def flip(op: BridgeOp, ctx: Context) -> None:
    """flip → Slice with steps of -1."""
    axes = op.integers("axis")
    count = len(axes)
    least = int(np.iinfo(np.int64).min)
    result = ctx.builder.slice(ctx.input(op, "X"), [-1] * count, [least] * count, axes, [-1] * count)
    ctx.output(op, result)


@converts("roll")
def roll(op: BridgeOp, ctx: Context) -> None:
    """roll → Slice and Concat for each axis, whose size must be known."""
    b, shifts, axes = ctx.builder, require_integers(op, "shifts", "ShiftsTensor"), op.integers("axis")
    x = ctx.input(op, "X")
    result = x if axes else b.flat(x)
    for axis, shift in zip(axes or [0], shifts, strict=True):
        result = _rolled(op, ctx, result, axis, shift, whole=not axes)
    ctx.output(op, result if axes else b.add("Reshape", result, b.sizes(x)))


def _rolled(op: BridgeOp, ctx: Context, x: Tensor, axis: int, shift: int, *, whole: bool) -> Tensor:
    b = ctx.builder
    size = None
    if not whole:
        dim = op["X"].dims[axis]
        size = dim if isinstance(dim, int) else None
    elif op["X"].is_static:
        size = int(np.prod([dim for dim in op["X"].dims if isinstance(dim, int)], dtype=np.int64))
    if size is None:
        raise Declined(f"the size of a rolled axis must be known, got {op['X']}")
    split = -shift % size if size else 0
    if not split:
        return b.add("Identity", x)
    parts = [b.slice(x, [split], [size], [axis]), b.slice(x, [0], [split], [axis])]
    return b.add("Concat", *parts, axis=axis)
