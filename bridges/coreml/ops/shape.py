"""Views, transpose2, assign, joins, parts, expand*, tile, constants → reshape, transpose, concat, tile, …

float32, int32, int64 and bool of known sizes.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import MOST_AXES, Tensor
from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.ir.types import DType
from lite.ops.ranges import section_sizes
from lite.ops.value_attrs import constant_value
from lite.plugin.device import BridgeOp


def _view(op: BridgeOp, ctx: Context) -> None:
    """An op that only changes the shape; sizes that are not known yet need not fit."""
    x, known = ctx.input(op, "X"), op["X"].is_static and op.output("Out").is_static
    result = ctx.builder.reshape(x, sizes(op.output("Out"))) if known else x
    ctx.output(op, ctx.builder.add("identity", x=x) if result is x else result, "Out")


def _transpose(op: BridgeOp, ctx: Context) -> None:
    axes = [op["X"].axis(axis) for axis in op.integers("axis")]
    ctx.output(op, ctx.builder.transpose(ctx.input(op, "X"), axes), "Out")


def _assign(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.builder.add("identity", x=ctx.input(op, "X")))


def _one_type(op: BridgeOp) -> None:
    kinds = {meta.dtype for meta in op.all("X")}
    if len(kinds) > 1 or DType.BOOL in kinds:
        raise Declined("inputs are of several types or bool; MIL joins numbers of one type")


def _concat(op: BridgeOp, ctx: Context) -> None:
    _one_type(op)
    tensors, axis = ctx.inputs(op, "X"), require_integer(op, "axis", "AxisTensor")
    ctx.output(op, ctx.builder.add("concat", values=tensors, axis=axis % op.all("X")[0].rank))


def _stack(op: BridgeOp, ctx: Context) -> None:
    _one_type(op)
    axis = op.integer("axis") % (op.all("X")[0].rank + 1)
    ctx.output(op, ctx.builder.add("stack", values=ctx.inputs(op, "X"), axis=axis))


def _parts(ctx: Context, x: Tensor, axis: int, counts: list[int]) -> list[Tensor]:
    b, shape = ctx.builder, list(ctx.builder.shape(x))
    parts = []
    for begin, size in zip(accumulate(counts[:-1], initial=0), counts, strict=True):
        start, extent = [0] * len(shape), list(shape)
        start[axis], extent[axis] = begin, size
        parts.append(b.add("slice_by_size", x=x, begin=start, size=extent))
    return parts


def _split(op: BridgeOp, ctx: Context) -> None:
    x, outputs = ctx.input(op, "X"), op.node.outputs["Out"]
    shape = ctx.builder.shape(x)
    axis = require_integer(op, "axis", "AxisTensor") % len(shape)
    sections = require_integers(op, "sections", "SectionsTensorList")
    counts = section_sizes(shape[axis], op.integer("num") or len(outputs), sections)
    if min(counts) < 1:
        raise Declined(f"its parts have sizes {counts}; the host runs ops on empty tensors")
    ctx.outputs(op, "Out", _parts(ctx, x, axis, counts))


def _unstack(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axis = op["X"].axis(op.integer("axis"))
    parts = _parts(ctx, x, axis, [1] * len(op.node.outputs["Y"]))
    ctx.outputs(op, "Y", [b.add("squeeze", x=part, axes=[axis]) for part in parts])


def _repeated(ctx: Context, x: Tensor, times: list[int]) -> Tensor:
    b = ctx.builder
    if len(times) > MOST_AXES or not times or min(times) < 1:
        raise Declined(f"it repeats {times} times, expected 1 to {MOST_AXES} numbers above 0")
    wide = b.reshape(x, (1,) * (len(times) - len(b.shape(x))) + b.shape(x))
    if set(times) == {1}:
        return b.add("identity", x=wide)
    return b.add("tile", x=wide, reps=times)


def _expand(op: BridgeOp, ctx: Context) -> None:
    x, target = ctx.input(op, "X"), sizes(op.output())
    shape = (1,) * (len(target) - op["X"].rank) + ctx.builder.shape(x)
    times = [whole // size for whole, size in zip(target, shape, strict=True)]
    ctx.output(op, _repeated(ctx, x, times))


def _tile(op: BridgeOp, ctx: Context) -> None:
    x, rank = ctx.input(op, "X"), op["X"].rank
    times = require_integers(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    ctx.output(op, _repeated(ctx, x, [1] * (rank - len(times)) + times))


def _constant(ctx: Context, value: float, shape: tuple[int, ...], dtype: DType) -> Tensor:
    number = dtype.numpy.type(value if dtype.is_float else int(value))
    return ctx.builder.constant("constant", np.broadcast_to(number, shape))


def _fill_constant(op: BridgeOp, ctx: Context) -> None:
    result = op.output()
    if op.get("ValueTensor") is not None:
        raise Declined("its value is a tensor")
    value = constant_value(op.real("value"), op.text("str_value"), result.dtype)
    ctx.output(op, _constant(ctx, value, sizes(result), result.dtype))


def _fill_like(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, _constant(ctx, op.real("value"), sizes(op["X"]), op.output().dtype))


def _shape(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.builder.constant("shape", np.array(sizes(op["Input"]), np.int32)))


register(
    __name__,
    {
        **dict.fromkeys(
            ("flatten2", "flatten_contiguous_range", "reshape2", "squeeze2", "unsqueeze2"), _view
        ),
        **dict.fromkeys(("broadcast_to", "expand_as_v2", "expand_v2"), _expand),
        "assign": _assign,
        "concat": _concat,
        "fill_any_like": _fill_like,
        "fill_constant": _fill_constant,
        "shape": _shape,
        "split": _split,
        "stack": _stack,
        "tile": _tile,
        "transpose2": _transpose,
        "unstack": _unstack,
    },
)
