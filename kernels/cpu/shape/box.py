"""slice, strided_slice and space_to_depth, as copies of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.ir.types import DType
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.native.launching import launching
from lite.ops.ranges import slice_of, strided_slice_of
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_copy_box, _copy_bytes = Function("moves.layout.copy_box"), Function("moves.byte_moves.copy_box")

_OTHERS = 4
"""The axes that the compiled function takes besides the innermost one."""

Axes = Sequence[tuple[int, int]]
"""Axes of a result: their sizes, and their strides in the input, in elements."""


def slice_(ctx: PrepareContext) -> KernelFunction | None:
    """Ranges of some axes; None for ranges that are computed."""
    if len(ctx.inputs) > 1 or ctx.inputs["Input"][0].is_array:
        return None
    shape, attrs = ctx.inputs["Input"][0].sizes, ctx.attrs
    box = [slice(None)] * len(shape)
    decreased = attrs.integers("decrease_axis")
    numbers = (attrs.integers(name) for name in ("axes", "starts", "ends"))
    for axis, start, end in zip(*numbers, strict=False):
        box[axis] = slice_of(start, end, size=shape[axis], decreased=axis in decreased)
    return _copy(ctx, *_cut(shape, box))


def strided_slice(ctx: PrepareContext) -> KernelFunction | None:
    """Every n-th element of ranges of some axes; None for ranges that are computed."""
    if len(ctx.inputs) > 1:
        return None
    shape, attrs = ctx.inputs["Input"][0].sizes, ctx.attrs
    box = [slice(None)] * len(shape)
    numbers = (attrs.integers(name) for name in ("axes", "starts", "ends", "strides"))
    for axis, start, end, stride in zip(*numbers, strict=False):
        box[axis] = strided_slice_of(start, end, stride, shape[axis])
    return _copy(ctx, *_cut(shape, box))


def space_to_depth(ctx: PrepareContext) -> KernelFunction | None:
    """Squares of pixels of images as channels: each of them is a box with strides."""
    batch, channels, height, width = ctx.inputs["X"][0].sizes
    side, plane = ctx.attrs.integer("blocksize"), height * width
    if side < 1:
        return None
    square, channel = [(side, width), (side, 1)], [(channels, plane)]
    places = [*channel, *square] if ctx.attrs.flag("channels_first") else [*square, *channel]
    axes = [(batch, channels * plane), *places, (height // side, side * width), (width // side, side)]
    return _copy(ctx, 0, axes)


def _cut(shape: Sequence[int], box: Sequence[slice]) -> tuple[int, Axes]:
    """The first element of a box, and its axes."""
    ranges = [range(size)[cut] for size, cut in zip(shape, box, strict=True)]
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    start = sum(each.start * step for each, step in zip(ranges, steps, strict=True))
    return start, [(len(each), each.step * step) for each, step in zip(ranges, steps, strict=True)]


def _merged(axes: Axes) -> list[tuple[int, int]]:
    """The axes without those of size 1; neighbours are merged where one stride leads through both."""
    merged: list[tuple[int, int]] = []
    for size, step in axes:
        if size == 1:
            continue
        if merged and merged[-1][1] == size * step:
            merged[-1] = (merged[-1][0] * size, step)
        else:
            merged.append((size, step))
    return merged or [(1, 1)]


def _copy(ctx: PrepareContext, start: int, box: Axes) -> KernelFunction | None:
    out = ctx.outputs["Out"][0]
    copy = box_copy(start, box, out.dtype)
    return None if copy is None else launching(copy, out)


def box_copy(start: int, box: Axes, dtype: DType = DType.FLOAT32) -> Job | None:
    """The job that copies a box; None for one without elements, backwards, or with too many axes."""
    is_single, unit = dtype is DType.FLOAT32, dtype.numpy.itemsize
    axes = _merged(box if is_single else [*((size, step * unit) for size, step in box), (unit, 1)])
    if not is_single and axes[-1][1] != 1:
        axes.append((1, 1))
    count = math.prod(size for size, _ in axes)
    if not count or len(axes) > _OTHERS + 1 or any(step < 0 for _, step in axes):
        return None
    *others, (width, last_step) = axes
    (first, step), (second, second_step), (third, third_step), (fourth, fourth_step) = (
        *others, *[(1, 0)] * (_OTHERS - len(others)),
    )  # fmt: skip
    sizes_and_steps = second, third, fourth, step, second_step, third_step, fourth_step, width
    items, cost = first * second, PER_ELEMENT * count
    if is_single:
        return _copy_box.bind(FREE, FREE, start, *sizes_and_steps, last_step, count=items, cost=cost)
    return _copy_bytes.bind(FREE, FREE, start * unit, *sizes_and_steps, count=items, cost=cost / 4)


for _dtype in filter(is_plain, DType):
    kernel("slice", "cpu", dtype=_dtype, slots=("Input",), fallback="host")(slice_)
    kernel("strided_slice", "cpu", dtype=_dtype, slots=("Input",), fallback="host")(strided_slice)
    kernel("space_to_depth", "cpu", dtype=_dtype, slots=("X",), fallback="host")(space_to_depth)
