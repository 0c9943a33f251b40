"""reshape2, transpose2, squeeze2, unsqueeze2, flatten*, assign, concat, stack, split, unstack, expand*, tile.

They become RESHAPE, TRANSPOSE, CONCATENATION, SLICE, BROADCAST_TO and TILE.  All sizes must be known.
"""

from __future__ import annotations

from itertools import accumulate

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Tensor
from lite.ops.ranges import section_sizes
from lite.plugin.device import BridgeOp


def _view(op: BridgeOp, ctx: Context) -> None:
    """An op that only changes the shape → RESHAPE."""
    x, result = ctx.input(op, "X"), op.output("Out")
    shape = sizes(result)
    ctx.output(op, ctx.builder.reshape(x, shape), "Out")


def _transpose(op: BridgeOp, ctx: Context) -> None:
    axes = [op["X"].axis(axis) for axis in op.integers("axis")]
    ctx.output(op, ctx.builder.transpose(ctx.input(op, "X"), axes), "Out")


def _assign(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.input(op, "X"))


def _concat(op: BridgeOp, ctx: Context) -> None:
    tensors, axis = ctx.inputs(op, "X"), require_integer(op, "axis", "AxisTensor")
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise Declined("inputs have several element types; TFLite takes inputs of one type")
    if not tensors[0].rank:
        raise Declined("inputs have rank 0; TFLite concatenates along an axis")
    ctx.output(op, ctx.builder.concat(tensors, axis % tensors[0].rank))


def _stack(op: BridgeOp, ctx: Context) -> None:
    b, tensors = ctx.builder, ctx.inputs(op, "X")
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise Declined("inputs have several element types; TFLite takes inputs of one type")
    shape = tensors[0].shape
    axis = op.integer("axis") % (len(shape) + 1)
    lifted = [b.reshape(tensor, (*shape[:axis], 1, *shape[axis:])) for tensor in tensors]
    ctx.output(op, b.concat(lifted, axis))


def _parts(ctx: Context, x: Tensor, axis: int, counts: list[int]) -> list[Tensor]:
    """Slices of `x` with `counts` elements of an axis each, one after the other."""
    starts = accumulate(counts[:-1], initial=0)
    return [
        ctx.builder.slice(x, {axis: begin}, {axis: size}) for begin, size in zip(starts, counts, strict=True)
    ]


def _split(op: BridgeOp, ctx: Context) -> None:
    x, outputs = ctx.input(op, "X"), op.node.outputs["Out"]
    axis = require_integer(op, "axis", "AxisTensor") % x.rank
    sections = require_integers(op, "sections", "SectionsTensorList")
    counts = section_sizes(x.shape[axis], op.integer("num") or len(outputs), sections)
    if min(counts) < 1:
        raise Declined(f"the parts have sizes {counts}; the host runs ops on empty tensors")
    ctx.outputs(op, "Out", _parts(ctx, x, axis, counts))


def _unstack(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axis = op["X"].axis(op.integer("axis"))
    parts = _parts(ctx, x, axis, [1] * len(op.node.outputs["Y"]))
    ctx.outputs(op, "Y", [b.squeeze(part, [axis]) for part in parts])


def _expand(op: BridgeOp, ctx: Context) -> None:
    """expand_v2, broadcast_to, expand_as_v2 → BROADCAST_TO."""
    b, x, result = ctx.builder, ctx.input(op, "X"), op.output()
    shape = sizes(result)
    if x.shape == shape:
        ctx.output(op, x)
        return
    stored = b.form(b.widened(x, len(shape)))
    ctx.output(op, b.wrap(b.add("BROADCAST_TO", [stored, b.numbers(*shape)], shape)))


def _tile(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if op.op == "expand_as":
        target = sizes(op["target_tensor"])
        times = [whole // size for whole, size in zip(target, x.shape, strict=True)]
    else:
        times = require_integers(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    rank = max(len(times), x.rank)
    times = [1] * (rank - len(times)) + times
    if not rank or min(times) < 1:
        raise Declined(f"the repeats are {times}, expected one axis at least, and 1 or more repeats of each")
    stored = b.form(b.widened(x, rank))
    shape = [size * count for size, count in zip(stored.shape, times, strict=True)]
    ctx.output(op, b.wrap(b.add("TILE", [stored, b.numbers(*times)], shape)))


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
