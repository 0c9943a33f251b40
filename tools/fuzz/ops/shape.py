"""Ops that move data: reshape, transpose, concat, split, slice, pad, tile, expand and so on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from onnx import numpy_helper

from lite.tools.fuzz.draw import ANY, NUMBERS, Draw, Value, row

_MOST = ("float32", "int64", "int32", "bool")


def ints(d: Draw, numbers: list[int], dtype: str = "int64") -> Value:
    """A list of numbers as a constant, an input, or computed from shapes where that gives the same."""
    wanted = np.asarray(numbers, dtype)
    if dtype == "int64" and d.chance(0.2):
        shapes = d.find(("int64",), 1, where=lambda v: np.array_equal(v.array, wanted))
        if shapes is not None:
            return shapes
    return d.fresh(wanted, constant=0.85)


def axis_of(d: Draw, x: Value) -> int:
    """An axis of a tensor, counted from either end."""
    axis = d.integer(0, x.rank - 1)
    return axis - x.rank if d.chance(0.4) else axis


def axes_of(d: Draw, x: Value, most: int | None = None) -> list[int]:
    """Some distinct axes of a tensor."""
    count = d.integer(1, max(1, min(most or x.rank, x.rank)))
    found = d.random.sample(range(x.rank), min(count, x.rank))
    if d.chance(0.7):
        found = sorted(found)
    return [axis - x.rank if d.chance(0.3) else axis for axis in found]


def with_axes(d: Draw, op: str, x: Value, axes: list[int] | None, since: int, **attrs: Any) -> Value:
    """A node whose axes are an attribute before opset `since` and an input from then on."""
    if axes is None:
        return d.node(op, [x], **attrs)
    if d.opset < since:
        return d.node(op, [x], axes=axes, **attrs)
    return d.node(op, [x, ints(d, axes)], **attrs)


@row(1.2)
def reshape(d: Draw) -> None:
    """Reshape with -1, 0 and computed shapes."""
    x = d.value(_MOST, where=lambda v: v.array.size > 0)
    sizes = _factors(d, x.array.size)
    target = list(sizes)
    if target and d.chance(0.5):
        target[d.integer(0, len(target) - 1)] = -1
    for n in range(min(len(target), x.rank)):
        if target[n] != -1 and sizes[n] == x.shape[n] and d.chance(0.4):
            target[n] = 0
    attrs: dict[str, Any] = {"allowzero": 0} if d.opset >= 14 and d.chance(0.2) else {}
    d.node("Reshape", [x, ints(d, target)], **attrs)


def _factors(d: Draw, size: int) -> list[int]:
    sizes: list[int] = []
    left = size
    for _ in range(d.integer(0, 3)):
        divisors = [n for n in range(1, min(left, 12) + 1) if left % n == 0]
        sizes.append(d.pick(divisors))
        left //= sizes[-1]
    sizes.insert(d.integer(0, len(sizes)), left)
    return sizes


@row(0.4)
def flatten(d: Draw) -> None:
    """Flatten at every axis."""
    x = d.value(_MOST, low=1)
    d.node("Flatten", [x], axis=d.integer(-x.rank, x.rank))


@row(1.4)
def transpose(d: Draw) -> None:
    """Transpose by any permutation, or by the default one; NCHW to NHWC and back often."""
    x = d.value(_MOST, low=1)
    if d.chance(0.1):
        d.node("Transpose", [x])
        return
    perm = list(range(x.rank))
    d.random.shuffle(perm)
    if x.rank == 4 and d.chance(0.6):
        perm = d.pick(([0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2]))
    d.node("Transpose", [x], perm=perm)


@row(0.9)
def squeeze(d: Draw) -> None:
    """Squeeze of some or of all axes of size 1."""
    x = d.value(_MOST, where=lambda v: 1 in v.shape)
    ones = [n for n, size in enumerate(x.shape) if size == 1]
    axes = sorted(d.random.sample(ones, d.integer(1, len(ones))))
    axes = [axis - x.rank if d.chance(0.3) else axis for axis in axes]
    with_axes(d, "Squeeze", x, None if d.chance(0.15) else axes, 13)


@row(0.9)
def unsqueeze(d: Draw) -> None:
    """Unsqueeze at one to three places."""
    x = d.value(_MOST, high=4)
    count = d.integer(1, 2)
    axes = sorted(d.random.sample(range(x.rank + count), count))
    axes = [axis - x.rank - count if d.chance(0.2) else axis for axis in axes]
    with_axes(d, "Unsqueeze", x, axes, 13)


@row(1.0)
def concat(d: Draw) -> None:
    """Concat of one to four tensors, the same one twice among them."""
    x = d.value(_MOST, low=1)
    axis = axis_of(d, x)
    axis_in = axis % x.rank
    others = [*x.shape[:axis_in], *x.shape[axis_in + 1 :]]
    parts = [x]
    for _ in range(d.integer(0, 3)):
        part = d.find(
            (x.dtype,),
            x.rank,
            where=lambda v: [*v.shape[:axis_in], *v.shape[axis_in + 1 :]] == others,
        )
        if part is None or d.chance(0.3):
            shape = [*others[:axis_in], d.integer(1, 3), *others[axis_in:]]
            part = d.fresh(d.array(shape, x.dtype))
        parts.append(part)
    d.random.shuffle(parts)
    d.node("Concat", parts, axis=axis)


@row(0.8)
def split(d: Draw) -> None:
    """Split in equal and unequal parts."""
    x = d.value(_MOST, low=1, where=lambda v: max(v.shape, default=0) > 1)
    axis = axis_of(d, x)
    size = x.shape[axis]
    parts = d.integer(1, max(1, min(size, 3)))
    sizes = [size // parts] * parts
    sizes[-1] += size - sum(sizes)
    if d.chance(0.3):
        sizes = sizes[::-1]
    if d.opset >= 18 and d.chance(0.3):
        d.nodes_outputs("Split", [x], parts, axis=axis, num_outputs=parts)
    elif d.opset >= 13:
        d.nodes_outputs("Split", [x, ints(d, sizes)], parts, axis=axis)
    else:
        d.nodes_outputs("Split", [x], parts, axis=axis, split=sizes)


@row(1.0)
def slice_(d: Draw) -> None:
    """Slice with negative, clamped and backward ranges, some axes, and computed bounds."""
    x = d.value(_MOST, low=1)
    axes = axes_of(d, x)
    starts, ends, steps = [], [], []
    for axis in axes:
        size = x.shape[axis]
        step = d.pick((1, 1, 1, 2, -1, -2, 3))
        a, b = sorted((d.integer(0, size), d.integer(0, size)))
        if step < 0:
            a, b = b - 1, a - 1
        starts.append(a - size if d.chance(0.3) else a)
        ends.append(2**31 if step > 0 and d.chance(0.2) else -(2**31) if step < 0 and b < 0 else b)
        steps.append(step)
    if d.opset < 10:
        d.node("Slice", [x], axes=axes, starts=starts, ends=ends)
        return
    tail: list[Value | None] = [ints(d, starts), ints(d, ends)]
    if axes != list(range(x.rank)) or d.chance(0.5):
        tail.append(ints(d, axes))
        if any(step != 1 for step in steps) or d.chance(0.3):
            tail.append(ints(d, steps))
    d.node("Slice", [x, *tail])


@row(0.7)
def pad(d: Draw) -> None:
    """Pad in all modes, also by negative amounts."""
    x = d.value(_MOST if d.chance(0.2) else ("float32",), low=1)
    mode = d.pick(("constant", "constant", "reflect", "edge", "wrap"))
    pads = [d.integer(0, 2) if d.chance(0.6) else 0 for _ in range(2 * x.rank)]
    if mode == "constant" and d.chance(0.15):
        pads[d.integer(0, len(pads) - 1)] = -1
    if d.opset < 11:
        d.node("Pad", [x], mode=mode, pads=pads, value=d.real())
        return
    tail: list[Value | None] = [ints(d, pads)]
    if mode == "constant" and d.chance(0.6):
        tail.append(d.fresh(d.array((), x.dtype), constant=0.8))
    if d.opset >= 18 and d.chance(0.2):
        axes = axes_of(d, x)
        tail = [ints(d, pads[: 2 * len(axes)]), tail[1] if len(tail) > 1 else None, ints(d, axes)]
    d.node("Pad", [x, *tail], mode=mode)


@row(0.5)
def tile(d: Draw) -> None:
    """Tile."""
    x = d.value(_MOST, where=lambda v: v.array.size < 500)
    d.node("Tile", [x, ints(d, [d.integer(1, 3) for _ in x.shape])])


@row(0.6)
def expand(d: Draw) -> None:
    """Expand, also to a smaller or lower shape where ONNX broadcasts both ways."""
    x = d.value(_MOST, where=lambda v: v.array.size < 500)
    shape = [d.integer(1, 4) if size == 1 and d.chance(0.7) else size for size in x.shape]
    shape = [1 if d.chance(0.2) else size for size in shape]
    if d.chance(0.3):
        shape = [d.integer(1, 3), *shape]
    elif shape and d.chance(0.2):
        shape = shape[1:]
    d.node("Expand", [x, ints(d, shape)])


@row(0.6)
def shape_chain(d: Draw) -> None:
    """Shape, Size, and arithmetic on them."""
    x = d.value(ANY)
    if d.chance(0.15):
        d.node("Size", [x])
        return
    attrs: dict[str, Any] = {}
    if d.opset >= 15 and x.rank and d.chance(0.4):
        attrs = {"start": d.integer(-x.rank, x.rank - 1)}
        if d.chance(0.5):
            attrs["end"] = d.integer(-x.rank, x.rank)
    sizes = d.node("Shape", [x], **attrs)
    if d.chance(0.5) and sizes.array.size:
        position = d.constant(np.asarray(d.integer(-sizes.array.size, sizes.array.size - 1), "int64"))
        size = d.node("Gather", [sizes, position], axis=0)
        if d.chance(0.5):
            size = d.node(
                d.pick(("Add", "Mul", "Sub")), [size, d.constant(np.asarray(d.integer(1, 2), "int64"))]
            )
        if d.chance(0.6):
            with_axes(d, "Unsqueeze", size, [0], 13)


@row(0.5)
def reshape_by_shape(d: Draw) -> None:
    """The exporters' idiom: a shape taken apart, put together with Concat, and reshaped to."""
    x = d.value(low=2, where=lambda v: v.array.size > 0)
    sizes = d.node("Shape", [x])
    first = d.node("Gather", [sizes, d.constant(np.asarray(0, "int64"))], axis=0)
    first = with_axes(d, "Unsqueeze", first, [0], 13)
    rest = [-1] if d.chance(0.6) else [int(np.prod(x.shape[1:]))]
    target = d.node("Concat", [first, d.constant(np.asarray(rest, "int64"))], axis=0)
    d.node("Reshape", [x, target])


@row(0.25)
def space_and_depth(d: Draw) -> None:
    """DepthToSpace, SpaceToDepth and CenterCropPad."""
    block = d.integer(1, 2)
    op = d.pick(("DepthToSpace", "SpaceToDepth", "CenterCropPad"))
    if op == "DepthToSpace":
        x = d.value(rank=4, where=lambda v: v.shape[1] % block**2 == 0, fresh=lambda: d.array((1, 4, 2, 3)))
        d.node(op, [x], blocksize=block, mode=d.pick(("DCR", "CRD")))
    elif op == "SpaceToDepth":
        x = d.value(
            rank=4,
            where=lambda v: not (v.shape[2] % block or v.shape[3] % block),
            fresh=lambda: d.array((1, 2, 4, 2)),
        )
        d.node(op, [x], blocksize=block)
    elif d.opset >= 18:
        x = d.value(low=1)
        axes = axes_of(d, x)
        d.node(op, [x, ints(d, [d.integer(1, 6) for _ in axes])], axes=axes)


@row(0.2)
def trilu(d: Draw) -> None:
    """Trilu with and without a diagonal."""
    x = d.value(_MOST, low=2)
    tail = [d.fresh(np.asarray(d.integer(-2, 2), "int64"))] if d.chance(0.6) else []
    d.node("Trilu", [x, *tail], upper=d.integer(0, 1))


@row(0.2)
def reverse_sequence(d: Draw) -> None:
    """ReverseSequence along time or batch first."""
    x = d.value(low=2, where=lambda v: min(v.shape[:2]) > 0)
    time = d.integer(0, 1)
    lengths = [d.integer(1, x.shape[time]) for _ in range(x.shape[1 - time])]
    d.node("ReverseSequence", [x, ints(d, lengths)], time_axis=time, batch_axis=1 - time)


@row(0.2)
def col2im(d: Draw) -> None:
    """Col2Im of two-dimensional images."""
    if d.opset < 18:
        return
    image, block = (d.integer(3, 5), d.integer(3, 5)), (d.integer(1, 2), d.integer(1, 2))
    windows = math.prod(i - b + 1 for i, b in zip(image, block, strict=True))
    x = d.input(d.array((d.integer(1, 2), d.integer(1, 2) * block[0] * block[1], windows)))
    d.node("Col2Im", [x, ints(d, list(image)), ints(d, list(block))])


@row(0.3)
def constants(d: Draw) -> None:
    """ConstantOfShape, Range, EyeLike, OneHot."""
    op = d.pick(("ConstantOfShape", "Range", "EyeLike", "OneHot"))
    if op == "ConstantOfShape":
        value = numpy_helper.from_array(d.array((1,), d.pick(NUMBERS)))
        attrs: dict[str, Any] = {"value": value} if d.chance(0.8) else {}
        d.node(op, [ints(d, list(d.dims(d.integer(0, 3))))], **attrs)
    elif op == "Range":
        dtype = d.pick(("int64", "int32", "float32"))
        start, step = d.integer(-3, 3), d.pick((1, 2, -1))
        limits = [start, start + step * d.integer(0, 6), step]
        d.node(op, [d.fresh(np.asarray(n, dtype), constant=0.8) for n in limits])
    elif op == "EyeLike":
        d.node(op, [d.value(("float32", "int64"), rank=2)], k=d.integer(-1, 1))
    else:
        indices = d.fresh(d.array(d.dims(d.integer(1, 2)), "int64"))
        depth = d.fresh(np.asarray(d.integer(3, 6), "int64"), constant=0.8)
        values = d.fresh(d.array((2,)), constant=0.8)
        d.node(op, [indices, depth, values], axis=d.integer(-indices.rank - 1, indices.rank))
