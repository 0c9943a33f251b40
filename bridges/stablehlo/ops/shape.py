"""reshape2, transpose2, squeeze2, unsqueeze2, flatten*, assign, concat, stack, split, unstack, expand*, tile.

They become reshape, transpose, concatenate, slice and broadcast_in_dim; all sizes are known.
"""

from __future__ import annotations

from itertools import accumulate

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.graph import Tensor
from lite.ops.ranges import section_sizes
from lite.plugin.device import BridgeOp


def _view(op: BridgeOp, ctx: Context) -> None:
    """An op that only changes the shape; sizes that are not known yet need not fit."""
    ctx.output(op, ctx.builder.reshape(ctx.input(op, "X"), sizes(op.output("Out"))), "Out")


def _transpose(op: BridgeOp, ctx: Context) -> None:
    axes = [op["X"].axis(axis) for axis in op.integers("axis")]
    ctx.output(op, ctx.builder.transpose(ctx.input(op, "X"), axes), "Out")


def _assign(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.input(op, "X"))


def _of_one_type(op: BridgeOp, ctx: Context) -> list[Tensor]:
    tensors = ctx.inputs(op, "X")
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise Declined("inputs are of several types, and have to be of one")
    return tensors


def _concat(op: BridgeOp, ctx: Context) -> None:
    tensors, axis = _of_one_type(op, ctx), require_integer(op, "axis", "AxisTensor")
    if not tensors[0].rank:
        raise Declined("inputs have no axes")
    ctx.output(op, ctx.builder.concat(tensors, axis % tensors[0].rank))


def _stack(op: BridgeOp, ctx: Context) -> None:
    b, tensors = ctx.builder, _of_one_type(op, ctx)
    shape = tensors[0].shape
    axis = op.integer("axis") % (len(shape) + 1)
    lifted = [b.reshape(tensor, (*shape[:axis], 1, *shape[axis:])) for tensor in tensors]
    ctx.output(op, b.concat(lifted, axis))


def _parts(ctx: Context, x: Tensor, axis: int, counts: list[int]) -> list[Tensor]:
    starts = accumulate(counts[:-1], initial=0)
    return [
        ctx.builder.slice(x, {axis: range(begin, begin + size)})
        for begin, size in zip(starts, counts, strict=True)
    ]


def _split(op: BridgeOp, ctx: Context) -> None:
    x, outputs = ctx.input(op, "X"), op.node.outputs["Out"]
    axis = require_integer(op, "axis", "AxisTensor") % x.rank
    sections = require_integers(op, "sections", "SectionsTensorList")
    counts = section_sizes(x.shape[axis], op.integer("num") or len(outputs), sections)
    if min(counts) < 1:
        raise Declined(f"its parts have sizes {counts}; the host runs ops on empty tensors")
    ctx.outputs(op, "Out", _parts(ctx, x, axis, counts))


def _unstack(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axis = op["X"].axis(op.integer("axis"))
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    parts = _parts(ctx, x, axis, [1] * len(op.node.outputs["Y"]))
    ctx.outputs(op, "Y", [b.reshape(part, shape) for part in parts])


def _expand(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.builder.broadcast(ctx.input(op, "X"), sizes(op.output())))


def _tile(op: BridgeOp, ctx: Context) -> None:
    """tile, expand_as → broadcast_in_dim to an axis of repetitions before each axis."""
    b, x = ctx.builder, ctx.input(op, "X")
    if op.op == "expand_as":
        target = sizes(op["target_tensor"])
        times = [whole // size for whole, size in zip(target, x.shape, strict=True)]
    else:
        times = require_integers(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    rank = max(len(times), x.rank)
    times = [1] * (rank - len(times)) + times
    if not rank or min(times) < 1:
        raise Declined(f"it repeats {times} times; the host runs ops on empty tensors")
    shape = (1,) * (rank - x.rank) + x.shape
    single = [size for each in shape for size in (1, each)]
    wide = [size for count, each in zip(times, shape, strict=True) for size in (count, each)]
    result = b.broadcast(b.reshape(x, single), wide)
    ctx.output(op, b.reshape(result, [count * each for count, each in zip(times, shape, strict=True)]))


register(
    __name__,
    {
        **dict.fromkeys(
            ("flatten2", "flatten_contiguous_range", "reshape2", "squeeze2", "unsqueeze2"), _view
        ),
        **dict.fromkeys(("broadcast_to", "expand_as_v2", "expand_v2"), _expand),
        **dict.fromkeys(("expand_as", "tile"), _tile),
        "assign": _assign,
        "concat": _concat,
        "split": _split,
        "stack": _stack,
        "transpose2": _transpose,
        "unstack": _unstack,
    },
)
