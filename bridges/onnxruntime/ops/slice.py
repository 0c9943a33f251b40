"""Parts of tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import flat_int64, known_dim, known_numbers, numbers, vector
from lite.errors import CompileError
from lite.ir.types import Dim, DType
from lite.ops.defs.crop import crop_offsets
from lite.plugin.device import BridgeOp

_END = int(np.iinfo(np.int64).max)
_FRONT = int(np.iinfo(np.int64).min)


@converts("slice")
def slice_(op: BridgeOp, ctx: Context) -> None:
    """Slice, then Squeeze of the axes that are dropped."""
    b, axes, dropped = ctx.builder, op.integers("axes"), op.integers("decrease_axis")
    x = ctx.input(op, "Input")
    starts, ends = (numbers(op, name, *_sources(name)) for name in ("starts", "ends"))
    if starts is not None and ends is not None:
        last = [
            _END if axis in dropped and start == -1 and end == 0 else end
            for axis, start, end in zip(axes, starts, ends, strict=False)
        ]
        result = _cut(op, ctx, x, axes, starts, last, [1] * len(axes))
    else:
        from_, to = (vector(op, ctx, name, *_sources(name)) for name in ("starts", "ends"))
        if dropped:
            # An index of -1 comes as the range from -1 to 0: that is the last element.
            is_last = b.add("Equal", from_, b.ints(-1), dtype=DType.BOOL)
            ends_at_0 = b.add("Equal", to, b.ints(0), dtype=DType.BOOL)
            is_index = b.array(np.array([axis in dropped for axis in axes]))
            chosen = b.add("And", b.add("And", is_last, ends_at_0), is_index)
            to = b.add("Where", chosen, b.ints(_END), to, dtype=DType.INT64)
        result = b.add("Slice", x, from_, to, b.ints(*axes))
    ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))


@converts("strided_slice")
def strided_slice(op: BridgeOp, ctx: Context) -> None:
    """Slice with steps; an end of -1 is before the first element when going backwards."""
    b, axes, dropped = ctx.builder, op.integers("axes"), op.integers("decrease_axis")
    strides = known_numbers(op, "strides", *_sources("strides"))
    starts, ends = (numbers(op, name, *_sources(name)) for name in ("starts", "ends"))
    if starts is None or ends is None:
        if min(strides, default=1) < 0 or len(set(axes)) < len(axes):
            raise CompileError("starts and ends must be constant to go backwards, or along an axis twice")
        bounds = [vector(op, ctx, name, *_sources(name)) for name in ("starts", "ends")]
        result = b.add("Slice", ctx.input(op, "Input"), *bounds, b.ints(*axes), b.ints(*strides))
        ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))
        return
    last = [_FRONT if stride < 0 and end == -1 else end for end, stride in zip(ends, strides, strict=False)]
    result = _cut(op, ctx, ctx.input(op, "Input"), axes, starts, last, strides)
    ctx.output(op, b.squeeze(result, *sorted({axis % op["Input"].rank for axis in dropped})))


def _cut(
    op: BridgeOp,
    ctx: Context,
    x: Tensor,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    """A Slice; an axis that is named twice obeys the last range."""
    ranges = {
        axis % op["Input"].rank: _as_onnx(op["Input"].dims[axis], start, end, step)
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=False)
    }
    first, last, step = (
        (list(part) for part in zip(*ranges.values(), strict=True)) if ranges else ([], [], [])
    )
    return ctx.builder.cut(x, first, last, list(ranges), step)


def _as_onnx(dim: Dim, start: int, end: int, step: int) -> tuple[int, int, int]:
    """A range as ONNX counts it: going backwards from before the first element, it has one, Python none."""
    if step > 0 or start >= -1:
        return start, end, step
    if not isinstance(dim, int):
        raise CompileError(f"the size of an axis must be known to go backwards from {start}")
    return (0, 0, 1) if start < -dim else (start, end, step)


def _sources(name: str) -> tuple[str, str]:
    return f"{name.title()}TensorList", f"{name.title()}Tensor"


@converts("dynamic_slice")
def dynamic_slice(op: BridgeOp, ctx: Context) -> None:
    """Slice; going backwards from before the first element, it has one element, Python's has none."""
    b, x = ctx.builder, ctx.input(op, "Input")
    given = [ctx.optional(op, slot) for slot in ("Starts", "Ends", "Axes", "Steps")]
    starts, ends, axes, steps = (None if t is None else b.cast(t, DType.INT64) for t in given)
    known = op.values("Steps")
    if starts is not None and steps is not None and (known is None or min(known, default=1) < 0):
        sizes = b.sizes(x) if axes is None else b.add("Gather", b.sizes(x), axes)
        if axes is None:
            sizes = b.add("Slice", sizes, b.ints(0), b.sizes(starts))
        zero = b.ints(0)
        before = b.add("Less", b.add("Add", starts, sizes), zero, dtype=DType.BOOL)
        nothing = b.add("And", b.add("Less", steps, zero, dtype=DType.BOOL), before)
        ends = b.add("Where", nothing, sizes, ends, dtype=DType.INT64)
    ctx.output(op, b.add("Slice", x, starts, ends, axes, steps))


@converts("crop", "crop_tensor")
def crop(op: BridgeOp, ctx: Context) -> None:
    """Slice of a box of known place and size."""
    rank = op["X"].rank
    if op.op == "crop":
        offsets = known_numbers(op, "offsets", "Offsets")
        wanted = op.get("Y")
        shape = op.integers("shape") if wanted is None else list(wanted.dims)
    else:
        offsets = known_numbers(op, "offsets", "OffsetsTensor", "Offsets")
        shape = list(known_numbers(op, "shape", "ShapeTensor", "Shape"))
    starts = crop_offsets(offsets, rank)
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) < len(shape):
        raise CompileError(f"the sizes of the box must be known, got {shape}")
    ends = [_END if size == -1 else start + size for start, size in zip(starts, sizes, strict=True)]
    ctx.output(op, ctx.builder.cut(ctx.input(op, "X"), starts, ends, range(rank)))


@converts("split")
def split(op: BridgeOp, ctx: Context) -> None:
    """Split into equal parts, or into those of `sections`, of which one may be -1: what is left."""
    b, count = ctx.builder, len(op.node.outputs["Out"])
    x = ctx.input(op, "X")
    axis = known_numbers(op, "axis", "AxisTensor")[0] if op.get("AxisTensor") else op.integer("axis")
    kinds = [x.dtype] * count
    sections = numbers(op, "sections", "SectionsTensorList")
    if sections is None:
        given = vector(op, ctx, "sections", "SectionsTensorList")
        zero = b.scalar(0, DType.INT64)
        taken = b.add("ReduceSum", b.add("Max", given, zero), keepdims=0)
        rest = b.add("Sub", b.size(x, axis % op["X"].rank), taken)
        sizes = b.add("Where", b.add("Less", given, zero, dtype=DType.BOOL), rest, given, dtype=DType.INT64)
        parts = b.add_all("Split", [x, sizes], kinds, axis=axis)
    elif not sections:
        dim = op["X"].dims[axis]
        if isinstance(dim, int):
            parts = b.add_all("Split", [x, b.ints(*[dim // count] * count)], kinds, axis=axis)
        else:
            parts = b.add_all("Split", [x], kinds, axis=axis, num_outputs=count)
    elif -1 not in sections:
        parts = b.add_all("Split", [x, b.ints(*sections)], kinds, axis=axis)
    else:
        rest = _left_over(op, ctx, x, axis, sections)
        parts = b.add_all("Split", [x, rest], kinds, axis=axis)
    ctx.outputs(op, "Out", parts)


def _left_over(op: BridgeOp, ctx: Context, x: Tensor, axis: int, sections: Sequence[int]) -> Tensor:
    b, place = ctx.builder, sections.index(-1)
    taken = sum(size for size in sections if size >= 0)
    dim = op["X"].dims[axis]
    if isinstance(dim, int):
        return b.ints(*[dim - taken if size == -1 else size for size in sections])
    rest = b.add("Sub", b.size(x, axis % op["X"].rank), b.ints(taken))
    return b.add("Concat", b.ints(*sections[:place]), rest, b.ints(*sections[place + 1 :]), axis=0)


@converts("unstack", "unbind")
def unstack(op: BridgeOp, ctx: Context) -> None:
    """Split into slices without the axis."""
    slot = "Y" if op.op == "unstack" else "Out"
    b, axis, x = ctx.builder, op.integer("axis"), ctx.input(op, "X")
    count = len(op.node.outputs[slot])
    parts = b.add_all("Split", [x, b.ints(*[1] * count)], [x.dtype] * count, axis=axis)
    ctx.outputs(op, slot, [b.squeeze(part, axis) for part in parts])


@converts("concat")
def concat(op: BridgeOp, ctx: Context) -> None:
    """Concat."""
    axis = known_numbers(op, "axis", "AxisTensor")[0] if op.get("AxisTensor") else op.integer("axis")
    parts = ctx.inputs(op, "X")
    parts = [ctx.builder.cast(part, parts[0].dtype) for part in parts]
    ctx.output(op, ctx.builder.add("Concat", *parts, axis=axis))


@converts("stack")
def stack(op: BridgeOp, ctx: Context) -> None:
    """Concat along a new axis."""
    b = ctx.builder
    rank = op.all("X")[0].rank + 1
    axis = op.integer("axis") % rank
    parts = [b.unsqueeze(part, axis) for part in ctx.inputs(op, "X")]
    ctx.output(op, b.add("Concat", *parts, axis=axis))


@converts("temporal_shift")
def temporal_shift(op: BridgeOp, ctx: Context) -> None:
    """Channels of neighbouring frames: a first share from the frame before, a second from the one behind."""
    b, frames = ctx.builder, op.integer("seg_num")
    last = op.text("data_format") == "NHWC"
    axis = 3 if last else 1
    channels = known_dim(op["X"], axis, "X")
    first, second = int(channels * op.real("shift_ratio")), int(channels * 2 * op.real("shift_ratio"))
    x = ctx.input(op, "X")
    tail = b.cut(b.sizes(x), [1], [4], [0])
    clips = b.add("Reshape", x, b.add("Concat", b.ints(-1, frames), tail, axis=0))
    zero = b.scalar(0.0, x.dtype)
    groups = [(0, first, 1), (first, second, -1), (second, channels, 0)]
    parts = [
        _shifted(ctx, b.cut(clips, [start], [end], [axis + 1]), by, zero)
        for start, end, by in groups
        if end > start
    ]
    joined = parts[0] if len(parts) == 1 else b.add("Concat", *parts, axis=axis + 1)
    ctx.output(op, b.add("Reshape", joined, b.sizes(x)))


def _shifted(ctx: Context, clips: Tensor, by: int, zero: Tensor) -> Tensor:
    """Frames moved along axis 1, with zeros where none comes from."""
    b = ctx.builder
    if not by:
        return clips
    pads = b.ints(1, 0) if by > 0 else b.ints(0, 1)
    padded = b.add("Pad", clips, pads, zero, b.ints(1))
    return b.cut(padded, [0], [-1], [1]) if by > 0 else b.cut(padded, [1], [_END], [1])


@converts("reverse_sequence")
def reverse_sequence(op: BridgeOp, ctx: Context) -> None:
    """ReverseSequence, of the first two axes."""
    batch, time = op.integer("batch_axis"), op.integer("time_axis")
    if {batch, time} != {0, 1}:
        raise CompileError(f"the axes of batch and time must be the first two, got {batch} and {time}")
    result = ctx.builder.add(
        "ReverseSequence",
        ctx.input(op, "X"),
        flat_int64(ctx, ctx.input(op, "SequenceLens"), op["SequenceLens"]),
        batch_axis=op.integer("batch_axis"),
        time_axis=op.integer("time_axis"),
    )
    ctx.output(op, result)
