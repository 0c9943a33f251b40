"""Ranges and parts of axes, from the attributes of slice, split, crop, pad, roll and range."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.errors import GraphError


def slice_of(start: int, end: int, *, size: int, decreased: bool) -> slice:
    """The Python slice for `start` and `end` of the op slice on an axis of `size`.

    Negative numbers count from the end; both are clamped.  From -1 to 0 on a decreased axis is its last
    element, as for the index -1.
    """
    if decreased and start == -1 and end == 0:
        end = size
    return slice(start, end)


def strided_slice_of(start: int, end: int, stride: int, size: int) -> slice:
    """The Python slice for a range of strided_slice; end -1 of a negative stride is before element 0."""
    if stride < 0 and end == -1:
        return slice(start, -size - 1, stride)
    return slice(start, end, stride)


def dynamic_box(
    dims: Sequence[object],
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> list[slice]:
    """The Python slices of dynamic_slice for a tensor of sizes `dims`, of which some may be unknown.

    Without `axes` these are the first ones; without `steps` they are 1.  A negative step from before the
    first element begins at it, unlike in Python.
    """
    box = [slice(None)] * len(dims)
    for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis, step = axes[n] if axes else n, steps[n] if steps else 1
        size = dims[axis]
        if step < 0 and isinstance(size, int):
            start = max(start, -size)
        box[axis] = slice(start, end, step)
    return box


def section_sizes(size: int, num: int, sections: Sequence[int]) -> list[int]:
    """The sizes of the parts of split: `num` equal ones, or `sections`, where -1 is the remainder."""
    if not sections:
        return [size // num] * num
    remainder = size - sum(part for part in sections if part >= 0)
    return [remainder if part < 0 else part for part in sections]


def crop_offsets(offsets: Sequence[int], rank: int) -> list[int]:
    """The offsets of crop; an empty list means zeros."""
    return list(offsets) or [0] * rank


def pad_pairs(pads: Sequence[int]) -> list[int]:
    """ONNX's paddings, first before all axes, then after all, as a pair for each axis."""
    half = len(pads) // 2
    return [number for pair in zip(pads[:half], pads[half:], strict=False) for number in pair]


def roll_shifts(axes: list[int], shifts: list[int]) -> list[int]:
    """`shifts`, one for each of `axes` or one without axes; raises `GraphError` for other numbers of them."""
    if len(shifts) != max(len(axes), 1):
        raise GraphError(f"roll: shifts: expected one for each of the axes {axes}, got {shifts}")
    return shifts


def range_size(start: float, end: float, step: float, *, allow_empty: bool = False) -> int:
    """The number of results of range: from `start` by `step` until before `end`.

    Raises `GraphError` for a step of 0 or, unless `allow_empty`, one that leads away from `end`.
    """
    if allow_empty and step and (end - start) / step < 0:
        return 0
    if step == 0 or not 0 <= (end - start) / step < math.inf:
        raise GraphError(f"range: expected a Step that leads from {start} to {end}, got {step}")
    return math.ceil((end - start) / step)
