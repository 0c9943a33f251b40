"""Ops whose outputs are contiguous parts of an input, for shapes and indices that are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from lite.ir.program import AttrValue
from lite.ops.ranges import section_sizes, slice_of
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView

Range = tuple[int, int]
"""The first element of a range on an axis, and the number of elements."""

Ranges = Mapping[int, Range]
"""Ranges by axis; the other axes are whole."""


def contiguous_parts(
    op: str, inputs: Mapping[str, Sequence[Meta]], attrs: Mapping[str, AttrValue]
) -> tuple[str, list[int]] | None:
    """The slot that an op cuts its outputs from, and where they begin in it, in elements.

    None for other ops, unknown shapes and indices, and outputs that are not contiguous there.
    """
    slot, rule = _RULES.get(op, ("", None))
    source = inputs[slot][0] if rule is not None else None
    if rule is None or source is None or source.is_array or not source.is_static:
        return None
    ranges = rule(OpView(op, inputs, attrs), source.sizes)
    if ranges is None:
        return None
    offsets = [_offset(source.sizes, each) for each in ranges]
    known = [offset for offset in offsets if offset is not None]
    return (slot, known) if len(known) == len(offsets) else None


def _offset(sizes: Sequence[int], ranges: Ranges) -> int | None:
    """Where a box begins in an array of these sizes; None if it is not contiguous or has no elements."""
    cut = [axis for axis, (_, count) in ranges.items() if count < sizes[axis]]
    counts = [ranges[axis][1] if axis in ranges else size for axis, size in enumerate(sizes)]
    if 0 in counts or any(count > 1 for count in counts[: max(cut, default=0)]):
        return None
    return sum(start * math.prod(sizes[axis + 1 :]) for axis, (start, _) in ranges.items())


def _gather(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    index, axis = op["Index"].value, op.integer("axis")
    if op.get("Axis") is not None or index is None or index.size == 0:
        return None
    axis %= len(sizes)
    [first, *rest] = (int(number) for number in index.reshape(-1))
    if first < 0:
        first, rest = first + sizes[axis], [number + sizes[axis] for number in rest]
    end = first + index.size
    if rest != [*range(first + 1, end)] or first < 0 or end > sizes[axis]:
        return None
    return [{axis: (first, index.size)}]


def _slice(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    if any(op.all(slot) for slot in ("StartsTensor", "EndsTensor", "StartsTensorList", "EndsTensorList")):
        return None
    decreased = op.integers("decrease_axis")
    ranges: dict[int, Range] = {}
    numbers = (op.integers(name) for name in ("axes", "starts", "ends"))
    for axis, start, end in zip(*numbers, strict=False):
        cut = slice_of(start, end, size=sizes[axis], decreased=axis in decreased)
        found = range(sizes[axis])[cut]
        ranges[axis % len(sizes)] = found.start, len(found)
    return [ranges]


def _split(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    if op.all("AxisTensor") or op.all("SectionsTensorList"):
        return None
    axis, sections = op.integer("axis") % len(sizes), op.integers("sections")
    counts = section_sizes(sizes[axis], len(sections) or op.integer("num"), sections)
    return [{axis: (sum(counts[:n]), count)} for n, count in enumerate(counts)]


def _repeat(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    """The whole input, where its shape is the one to broadcast to; -1 and 1 keep a size."""
    target = elements(op, "shape", "Shape", "expand_shapes_tensor")
    if target is None or len(target) != len(sizes):
        return None
    return [{}] if all(new in (-1, 1, size) for new, size in zip(target, sizes, strict=True)) else None


def _transpose(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    """The whole input, where only axes of one element change their places among the others."""
    moved = [axis % len(sizes) for axis in op.integers("axis") if sizes[axis] != 1]
    return [{}] if moved == sorted(moved) else None


def _unstack(op: OpView, sizes: Sequence[int]) -> list[Ranges] | None:
    axis = op.integer("axis") % len(sizes)
    return [{axis: (n, 1)} for n in range(sizes[axis])]


_Rule = Callable[[OpView, Sequence[int]], list[Ranges] | None]

_RULES: Mapping[str, tuple[str, _Rule]] = {
    "broadcast_to": ("X", _repeat),
    "expand_v2": ("X", _repeat),
    "gather": ("X", _gather),
    "slice": ("Input", _slice),
    "split": ("X", _split),
    "transpose2": ("X", _transpose),
    "unstack": ("X", _unstack),
}
"""By op: the slot that it cuts from, and the boxes of its outputs."""
