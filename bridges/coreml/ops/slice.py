"""slice, strided_slice, flip, pad_nd, gather, take, lookup_table_v2 → slice_by_index, pad, gather.

Bounds, paddings, axes, and the indices of gather and take must be known when the region is compiled.
"""

from __future__ import annotations

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.ir.types import Array, DType
from lite.ops.ranges import pad_pairs, slice_of, strided_slice_of
from lite.plugin.device import BridgeOp


def _sliced(b: Builder, x: Tensor, ranges: dict[int, slice], dropped: list[int]) -> Tensor:
    """`x` sliced by `ranges`, which maps axes to slices; the axes `dropped`, of size 1, are removed."""
    shape = b.shape(x)
    known = [range(*ranges.get(axis, slice(None)).indices(size)) for axis, size in enumerate(shape)]
    if any(not len(indices) for indices in known):
        raise Declined("its result is empty; the host runs ops on empty tensors")
    x = b.add(
        "slice_by_index",
        x=x,
        begin=[indices.start for indices in known],
        end=[max(indices.stop, 0) for indices in known],
        stride=[indices.step for indices in known],
        end_mask=[indices.stop < 0 for indices in known],
    )
    return b.reshape(x, [len(part) for axis, part in enumerate(known) if axis not in dropped])


def _bounded(op: BridgeOp, ctx: Context) -> None:
    b, x, meta = ctx.builder, ctx.input(op, "Input"), op["Input"]
    starts = require_integers(op, "starts", "StartsTensor", "StartsTensorList")
    ends = require_integers(op, "ends", "EndsTensor", "EndsTensorList")
    axes, shape = [meta.axis(axis) for axis in op.integers("axes")], b.shape(x)
    dropped = [meta.axis(axis) for axis in op.integers("decrease_axis")]
    if len(set(axes)) < len(axes):
        raise Declined(f"axes are {axes}, expected each axis once")
    if op.op == "slice":
        ranges = {
            axis: slice_of(start, end, size=shape[axis], decreased=axis in dropped)
            for axis, start, end in zip(axes, starts, ends, strict=False)
        }
    else:
        strides = require_integers(op, "strides", "StridesTensor", "StridesTensorList")
        ranges = {
            axis: strided_slice_of(start, end, stride, shape[axis])
            for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True)
        }
    ctx.output(op, _sliced(b, x, ranges, dropped))


def _flip(op: BridgeOp, ctx: Context) -> None:
    axes = sorted({op["X"].axis(axis) for axis in op.integers("axis")})
    ctx.output(op, ctx.builder.add("reverse", x=ctx.input(op, "X"), axes=axes))


def _pad(op: BridgeOp, ctx: Context) -> None:
    b, x, mode, rank = ctx.builder, ctx.input(op, "X"), op.text("mode"), op["X"].rank
    pads = pad_pairs(require_integers(op, "paddings", "Paddings"))
    axes = [axis % rank for axis in require_integers(op, "axes", "Axes")] or list(range(rank))
    value = op.get("Value")
    if mode != "constant" or op["X"].dtype is not DType.FLOAT32 or (value and value.value is None):
        raise Declined(f"mode is {mode!r} and X is {op['X']}, expected constant, float32 and a known Value")
    if min(pads, default=0) < 0 or len(set(axes)) < len(axes):
        raise Declined(f"paddings are {pads} of axes {axes}, expected none below 0 and each axis once")
    number = op.real("value") if value is None or value.value is None else float(value.value.reshape(-1)[0])
    pairs = [0] * (2 * rank)
    for n, axis in enumerate(axes):
        pairs[2 * axis : 2 * axis + 2] = pads[2 * n : 2 * n + 2]
    ctx.output(op, b.add("pad", x=x, pad=pairs, mode="constant", constant_val=np.float32(number)))


def _inside(slot: str, index: Array | None, size: int) -> Array:
    if index is None:
        raise Declined(
            f"{slot} is computed, expected a constant: Core ML does not check that it is below {size}"
        )
    if not index.size or index.min() < 0 or index.max() >= size:
        raise Declined(f"{slot} is empty or has an index outside 0 to {size - 1}")
    return index.astype(np.int32)


def _gather(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axis = require_integer(op, "axis", "Axis") if op.op == "gather" else op.integer("axis")
    axis = op["X"].axis(axis)
    given = op.constant("Index")
    if op.op == "take" and given is not None:
        # take counts negative numbers from the end.
        given = np.where(given < 0, given + b.shape(x)[axis], given)
    index = _inside("Index", given, b.shape(x)[axis])
    index = index.reshape(-1) if op.op == "gather" and index.ndim == 2 else index
    ctx.output(op, b.add("gather", x=x, indices=index, axis=axis))


def _lookup(op: BridgeOp, ctx: Context) -> None:
    """lookup_table_v2 → gather of rows."""
    b, table, ids = ctx.builder, ctx.input(op, "W"), ctx.input(op, "Ids")
    if op.integer("padding_idx") != -1:
        raise Declined(f"padding_idx is {op.integer('padding_idx')}, expected -1")
    ctx.output(op, b.add("gather", x=table, indices=ids, axis=0))


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
