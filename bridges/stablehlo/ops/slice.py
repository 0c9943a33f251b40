"""slice, strided_slice, flip, pad_nd, gather, take, lookup_table_v2 → slice, reverse, pad, gather, …

Bounds, paddings, axes and indices are known: StableHLO takes the element at the end for an index beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ir.types import Array
from lite.ops.ranges import pad_pairs, slice_of, strided_slice_of
from lite.plugin.device import BridgeOp


def _sliced(b: Builder, x: Tensor, ranges: dict[int, slice], dropped: Sequence[int]) -> Tensor:
    """The elements of Python slices, by axes, without the axes `dropped`."""
    known = {axis: range(*part.indices(x.shape[axis])) for axis, part in ranges.items()}
    if any(not len(indices) for indices in known.values()):
        raise Declined("its result is empty; the host runs ops on empty tensors")
    result = b.slice(x, known)
    return b.reshape(result, [size for axis, size in enumerate(result.shape) if axis not in dropped])


def _bounded(op: BridgeOp, ctx: Context) -> None:
    b, x, meta = ctx.builder, ctx.input(op, "Input"), op["Input"]
    names = ("starts", "ends") if op.op == "slice" else ("starts", "ends", "strides")
    bounds = [
        require_integers(op, name, f"{name.title()}Tensor", f"{name.title()}TensorList") for name in names
    ]
    axes = [meta.axis(axis) for axis in op.integers("axes")]
    dropped = [meta.axis(axis) for axis in op.integers("decrease_axis")]
    if len(set(axes)) < len(axes):
        raise Declined(f"axes are {axes}; an axis is sliced once")
    ranges = {}
    for axis, *numbers in zip(axes, *bounds, strict=False):
        size, (start, end) = x.shape[axis], numbers[:2]
        if op.op == "slice":
            ranges[axis] = slice_of(start, end, size=size, decreased=axis in dropped)
        else:
            ranges[axis] = strided_slice_of(start, end, numbers[2], size)
    ctx.output(op, _sliced(b, x, ranges, dropped))


def _flip(op: BridgeOp, ctx: Context) -> None:
    axes = {op["X"].axis(axis) for axis in op.integers("axis")}
    ctx.output(op, _sliced(ctx.builder, ctx.input(op, "X"), dict.fromkeys(axes, slice(None, None, -1)), []))


def _pad(op: BridgeOp, ctx: Context) -> None:
    """pad_nd → pad, or gather of the elements that an edge or a reflection repeats."""
    b, x, mode = ctx.builder, ctx.input(op, "X"), op.text("mode")
    pads = pad_pairs(require_integers(op, "paddings", "Paddings"))
    axes = [axis % x.rank for axis in require_integers(op, "axes", "Axes")] or list(range(x.rank))
    pairs = {axis: (pads[2 * n], pads[2 * n + 1]) for n, axis in enumerate(axes)}
    if len(pairs) < len(axes):
        raise Declined(f"axes are {axes}; an axis is padded once")
    if (
        min((x.shape[axis] + min(low, 0) + min(high, 0) for axis, (low, high) in pairs.items()), default=1)
        < 1
    ):
        raise Declined(f"paddings are {pads}, which leave nothing of X, {op['X']}")
    if mode == "constant":
        value = op.get("Value")
        if value is not None and value.value is None:
            raise Declined("Value is computed, expected a constant")
        number = op.real("value") if value is None or value.value is None else value.value.reshape(-1)[0]
        ctx.output(op, b.pad(x, pairs, float(number)))
        return
    if mode not in ("edge", "reflect") or min(pads, default=0) < 0:
        raise Declined(
            f"mode is {mode!r} with paddings {pads}, expected constant, or edge or reflect from 0 on"
        )
    for axis, (low, high) in pairs.items():
        if mode == "reflect" and max(low, high) >= x.shape[axis]:
            raise Declined(
                f"paddings of axis {axis} are {low} and {high}: a reflection has less than its size"
            )
        if low or high:
            positions = np.pad(np.arange(x.shape[axis]), (low, high), mode)  # type: ignore[call-overload]
            x = b.gather(x, b.array(positions), axis)
    ctx.output(op, x)


def _inside(slot: str, index: Array | None, size: int) -> Array:
    if index is None:
        raise Declined(f"{slot} is computed, and StableHLO does not check that its numbers are below {size}")
    if not index.size or index.min() < 0 or index.max() >= size:
        raise Declined(f"{slot} has numbers that are not between 0 and {size - 1}")
    return index.astype(np.int64)


def _gather(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axis = require_integer(op, "axis", "Axis") if op.op == "gather" else op.integer("axis")
    axis = op["X"].axis(axis)
    given = op.constant("Index")
    if op.op == "take" and given is not None:
        # take counts negative numbers from the end.
        given = np.where(given < 0, given + x.shape[axis], given)
    index = _inside("Index", given, x.shape[axis])
    index = index.reshape(-1) if op.op == "gather" and index.ndim == 2 else index
    ctx.output(op, b.gather(x, b.array(index), axis))


def _lookup(op: BridgeOp, ctx: Context) -> None:
    """lookup_table_v2 → gather of rows; those of padding_idx are 0."""
    b, table, padding = ctx.builder, ctx.input(op, "W"), op.integer("padding_idx")
    index = _inside("Ids", op.constant("Ids"), table.shape[0])
    rows = b.gather(table, b.array(index), 0)
    if padding != -1:
        rows = b.select(b.array((index == padding)[..., None]), b.like(0, rows), rows)
    ctx.output(op, rows)


register(
    __name__,
    {
        "flip": _flip,
        "gather": _gather,
        "lookup_table_v2": _lookup,
        "pad_nd": _pad,
        "slice": _bounded,
        "strided_slice": _bounded,
        "take": _gather,
    },
)
