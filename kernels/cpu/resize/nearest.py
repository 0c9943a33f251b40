"""resize of float32 along any axes, and its nearest elements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.kernels.cpu.resize.weighted import weighted
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, host_kernel, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_take_rows = Function("resize.take_rows")


@kernel("resize", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("Scales", "Sizes"), fallback="host")
def resize(ctx: PrepareContext) -> KernelFunction | None:
    """Elements of float32 taken or weighted along each axis; None for parts of X, and for computed sizes."""
    attrs, shape, out_shape = ctx.attrs, ctx.inputs["X"][0].sizes, ctx.outputs["Out"][0].sizes
    given = {slot: ctx.constant(slot) for slot in ("Scales", "Sizes") if ctx.inputs.get(slot)}
    is_whole = attrs.text("coordinate_transformation_mode") != "tf_crop_and_resize"
    is_plain = attrs.text("keep_aspect_ratio_policy") == "stretch"
    if not (is_whole and is_plain) or ctx.inputs.get("Roi") or ctx.inputs["X"][0].dtype is not DType.FLOAT32:
        return None
    if len(given) != 1 or 0 in (*shape, *out_shape):
        return None
    [(slot, numbers)] = given.items()
    if numbers is None:
        return None
    axes = [axis % len(shape) for axis in attrs.integers("axes")] or range(len(shape))
    changed = dict(zip(axes, numbers, strict=True))
    if attrs.text("mode") != "nearest":
        return weighted(ctx, shape, lambda x, axis: _along(ctx, x, slot, changed.get(axis)))
    taken = [_taken(ctx, size, slot, changed.get(axis)) for axis, size in enumerate(shape)]
    return take_along_axes(ctx, shape, taken)


def _taken(ctx: PrepareContext, size: int, slot: str, number: Array | None) -> Array | None:
    """The elements that the host takes along one axis; None where it takes all of them."""
    taken = _along(ctx, np.arange(size)[None], slot, number)[0]
    return None if np.array_equal(taken, np.arange(size)) else taken


def _along(ctx: PrepareContext, rows: Array, slot: str, number: Array | None) -> Array:
    """Rows as the host resizes them, by an element of Scales or Sizes; as they are, without one."""
    if number is None:
        return rows
    host = host_kernel("resize")
    numbers = np.array([len(rows) if slot == "Sizes" else 1, number], number.dtype)
    scales, sizes = (None, numbers) if slot == "Sizes" else (numbers, None)
    keywords = {**host.keywords(ctx.attrs), "axes": []}
    resized: Array = host.run(rows, None, scales, sizes, **keywords)
    return resized


def take_along_axes(
    ctx: PrepareContext, shape: Sequence[int], taken: Sequence[Array | None]
) -> KernelFunction | None:
    """The function that takes these elements of X along each axis (None: all), which is not empty."""
    last = max((axis for axis, places in enumerate(taken) if places is not None), default=-1)
    if last < 0:
        return None
    inner = math.prod(shape[last + 1 :])
    # After the last axis, elements are neighbours in both.
    outer = last if inner == 1 else last + 1
    width = math.prod(shape[outer:])
    columns = taken[outer] if outer == last else None
    count = width if columns is None else len(columns)
    repeats = _repeats(columns, width)
    rows = np.zeros(1, np.int64)
    for size, places in zip(shape[:outer], taken, strict=False):
        rows = (rows[:, None] * size + (np.arange(size) if places is None else places)).reshape(-1)
    unread = np.zeros(0, np.int64)
    take = _take_rows.bind(
        FREE, FREE, rows, unread if columns is None else columns, width, count, repeats,
        count=len(rows), cost=PER_ELEMENT * len(rows) * count,
    )  # fmt: skip
    return launching(take, ctx.outputs["Out"][0])


def _repeats(columns: Array | None, width: int) -> int:
    """How often each of `width` columns is repeated; 0 for other columns, and for too many repetitions."""
    from lite.kernels.cpu.lengths.images import MOST_REPEATS

    if columns is None:
        return 1
    repeats = len(columns) // width
    is_even = np.array_equal(columns, np.arange(repeats * width) // max(repeats, 1))
    return repeats if is_even and repeats <= MOST_REPEATS else 0
