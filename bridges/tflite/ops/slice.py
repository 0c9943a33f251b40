"""slice, strided_slice, flip, pad_nd, gather, take, lookup_table_v2 → SLICE, STRIDED_SLICE, PADV2, GATHER, …

Bounds, paddings, axes, and the indices of gather and take must be known when the region is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.emission.tflite.schema import REFLECT
from lite.ir.types import DType
from lite.ops.ranges import pad_pairs, slice_of, strided_slice_of
from lite.plugin.device import BridgeOp


def _sliced(b: Builder, x: Tensor, ranges: dict[int, slice]) -> Tensor:
    """The elements that Python slices select, by axis → SLICE, or STRIDED_SLICE for steps other than 1."""
    known = {axis: range(*part.indices(x.shape[axis])) for axis, part in ranges.items()}
    if any(not len(indices) for indices in known.values()):
        raise Declined("the result is empty; the host runs ops on empty tensors")
    if all(indices.step == 1 for indices in known.values()):
        begins = {axis: indices.start for axis, indices in known.items()}
        return b.slice(x, begins, {axis: len(indices) for axis, indices in known.items()})
    order, stored = x.home, x.forms[x.home]
    whole = [known.get(axis, range(x.shape[axis])) for axis in order]
    # A range back to element 0 stops at -1, which TFLite would count from the end: the end is masked.
    masked = sum(1 << n for n, indices in enumerate(whole) if indices.stop < 0)
    numbers = (
        b.numbers(*(indices.start for indices in whole)),
        b.numbers(*(max(indices.stop, 0) for indices in whole)),
        b.numbers(*(indices.step for indices in whole)),
    )
    shape = [len(indices) for indices in whole]
    return b.wrap(b.add("STRIDED_SLICE", [stored, *numbers], shape, begin_mask=0, end_mask=masked), order)


def _slice(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "Input")
    starts = require_integers(op, "starts", "StartsTensor", "StartsTensorList")
    ends = require_integers(op, "ends", "EndsTensor", "EndsTensorList")
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    dropped = sorted(op["Input"].axis(axis) for axis in op.integers("decrease_axis"))
    ranges = {
        axis: slice_of(start, end, size=x.shape[axis], decreased=axis in dropped)
        for axis, start, end in zip(axes, starts, ends, strict=False)
    }
    _once(axes)
    ctx.output(op, b.squeeze(_sliced(b, x, ranges), dropped))


def _once(axes: Sequence[int]) -> None:
    if len(set(axes)) < len(axes):
        raise Declined(f"axes are {list(axes)}; each axis may be sliced only once")


def _strided_slice(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "Input")
    bounds = [
        require_integers(op, name, f"{name.title()}Tensor", f"{name.title()}TensorList")
        for name in ("starts", "ends", "strides")
    ]
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    dropped = sorted(op["Input"].axis(axis) for axis in op.integers("decrease_axis"))
    ranges = {
        axis: strided_slice_of(start, end, stride, x.shape[axis])
        for axis, start, end, stride in zip(axes, *bounds, strict=True)
    }
    _once(axes)
    ctx.output(op, b.squeeze(_sliced(b, x, ranges), dropped))


def _flip(op: BridgeOp, ctx: Context) -> None:
    x = ctx.input(op, "X")
    axes = {op["X"].axis(axis) for axis in op.integers("axis")}
    ctx.output(op, _sliced(ctx.builder, x, {axis: slice(None, None, -1) for axis in axes}))


def _pad(op: BridgeOp, ctx: Context) -> None:
    """pad_nd → PAD, PADV2 or MIRROR_PAD; negative paddings become slices."""
    b, x, mode = ctx.builder, ctx.input(op, "X"), op.text("mode")
    pads = pad_pairs(require_integers(op, "paddings", "Paddings"))
    axes = [axis % x.rank for axis in require_integers(op, "axes", "Axes")] or list(range(x.rank))
    pairs = {axis: (pads[2 * n], pads[2 * n + 1]) for n, axis in enumerate(axes)}
    if len(pairs) < len(axes):
        raise Declined(f"axes are {axes}; each axis may be padded only once")
    if mode == "reflect":
        ctx.output(op, _reflected(b, x, pairs))
        return
    if mode != "constant":
        raise Declined(f"mode is {mode!r}, expected constant or reflect")
    value = op.get("Value")
    if value is not None and value.value is None:
        raise Declined("Value is computed, expected a constant")
    number = op.real("value") if value is None or value.value is None else float(value.value.reshape(-1)[0])
    cut = {axis: (max(-before, 0), max(-after, 0)) for axis, (before, after) in pairs.items()}
    kept = {axis: x.shape[axis] - sum(both) for axis, both in cut.items()}
    if min(kept.values(), default=1) < 1:
        raise Declined(f"X is {op['X']}; paddings {pads} remove all elements")
    x = b.slice(x, {axis: both[0] for axis, both in cut.items()}, kept)
    grown = {axis: (max(before, 0), max(after, 0)) for axis, (before, after) in pairs.items()}
    ctx.output(op, b.pad(x, grown, number))


def _reflected(b: Builder, x: Tensor, pairs: dict[int, tuple[int, int]]) -> Tensor:
    for axis, pair in pairs.items():
        if min(pair) < 0 or max(pair) >= x.shape[axis]:
            raise Declined(
                f"paddings of axis {axis} are {pair}, expected 0 to {x.shape[axis] - 1} to reflect"
            )
    order, stored = x.home, x.forms[x.home]
    both = np.array([pairs.get(axis, (0, 0)) for axis in order], np.int32)
    shape = [size + int(extra) for size, extra in zip(stored.shape, both.sum(axis=1), strict=True)]
    return b.wrap(b.add("MIRROR_PAD", [stored, b.stored_array(both)], shape, mode=REFLECT), order)


def gathered(b: Builder, x: Tensor, index: Tensor, axis: int) -> Tensor:
    """The elements of `x` at positions `index` of an axis → GATHER; the axes of `index` replace that axis."""
    stored, positions = b.form(x), b.form(index)
    shape = (*stored.shape[:axis], *positions.shape, *stored.shape[axis + 1 :])
    return b.wrap(b.add("GATHER", [stored, positions], shape, axis=axis))


def _inside(slot: str, index: Tensor, size: int) -> Tensor:
    """`index`, a constant with elements from 0 to `size` - 1.

    Raises `Declined` for other indices, because a run of LiteRT fails if one is outside of the axis.
    """
    if index.array is None:
        raise Declined(f"{slot} is computed, and LiteRT fails for an index that is not from 0 to {size - 1}")
    if not index.array.size or index.array.min() < 0 or index.array.max() >= size:
        raise Declined(f"{slot} is empty or has indices that are not from 0 to {size - 1}")
    return index


def _gather(op: BridgeOp, ctx: Context) -> None:
    b, x, index = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Index")
    if op.op == "gather":
        axis = op["X"].axis(require_integer(op, "axis", "Axis"))
        if index.rank == 2:
            index = b.reshape(index, (index.shape[0] * index.shape[1],))
    else:
        axis = op["X"].axis(op.integer("axis"))
        if index.array is not None:
            # take counts negative numbers from the end.
            index = b.array(np.where(index.array < 0, index.array + x.shape[axis], index.array))
    ctx.output(op, gathered(b, x, _inside("Index", index, x.shape[axis]), axis))


def _lookup(op: BridgeOp, ctx: Context) -> None:
    """lookup_table_v2 → GATHER of rows; the rows for padding_idx are zeros.

    An index outside of the table is an error in the run, as on the host.
    """
    b, table, ids = ctx.builder, ctx.input(op, "W"), ctx.input(op, "Ids")
    rows, padding = gathered(b, table, ids, 0), op.integer("padding_idx")
    if padding != -1:
        kept = b.binary("NOT_EQUAL", ids, b.like(padding, ids), DType.BOOL)
        kept = b.reshape(kept, (*kept.shape, 1))
        rows = b.elementwise("SELECT_V2", [kept, rows, b.like(0, rows)], rows.dtype)
    ctx.output(op, rows)


register(
    __name__,
    {
        "flip": _flip,
        "gather": _gather,
        "lookup_table_v2": _lookup,
        "pad_nd": _pad,
        "slice": _slice,
        "strided_slice": _strided_slice,
        "take": _gather,
    },
)
