"""reduce_*, mean, logsumexp, cumsum, arg_max, arg_min → reduce, reduce_window, select.

Axes are known.
"""

from __future__ import annotations

import math

import numpy as np

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_NAMES = {
    "reduce_all": "and",
    "reduce_any": "or",
    "reduce_max": "maximum",
    "reduce_min": "minimum",
    "reduce_prod": "multiply",
    "reduce_sum": "add",
}


def _axes(op: BridgeOp, rank: int) -> list[int]:
    if not rank:
        raise Declined("X has no axes")
    axes = [] if op.flag("reduce_all") else require_integers(op, "dim", "AxisTensor")
    return sorted({axis % rank for axis in axes}) or list(range(rank))


def _reduce(op: BridgeOp, ctx: Context) -> None:
    b = ctx.builder
    x = b.cast(ctx.input(op, "X"), op.output().dtype)
    if op.op in ("reduce_all", "reduce_any") and x.dtype is not DType.BOOL:
        raise Declined(f"X is {op['X']}, expected bool")
    ctx.output(op, b.reduce(_NAMES[op.op], x, _axes(op, x.rank), keep=op.flag("keep_dim")))


def _mean(op: BridgeOp, ctx: Context) -> None:
    x = ctx.input(op, "X")
    if not x.dtype.is_float or op.output().dtype is not x.dtype:
        raise Declined(f"X is {op['X']} and the result {op.output().dtype}, expected one real type")
    if not x.rank:
        raise Declined("X has no axes")
    axes = list(range(x.rank)) if op.op == "mean" else _axes(op, x.rank)
    ctx.output(op, ctx.builder.mean(x, axes, keep=op.op != "mean" and op.flag("keep_dim")))


def _logsumexp(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
    axes = _axes(op, x.rank)
    highest = b.reduce("maximum", x, axes, keep=True)
    powers = b.unary("exponential", b.binary("subtract", x, highest))
    total = b.binary("add", b.unary("log", b.reduce("add", powers, axes, keep=True)), highest)
    kept = [size for axis, size in enumerate(total.shape) if axis not in axes]
    ctx.output(op, total if op.flag("keep_dim") else b.reshape(total, kept))


def _cumsum(op: BridgeOp, ctx: Context) -> None:
    """cumsum → sums of windows that begin or end at each element."""
    b, x = ctx.builder, ctx.input(op, "X")
    if op.flag("keep_single") and all(size == 1 for size in x.shape):
        raise Declined("X may be a single element, which is returned unchanged (keep_single=true)")
    if op.flag("flatten") or not x.rank:
        raise Declined("it sums all elements in one row (flatten=true, or X without axes)")
    axis = op["X"].axis(require_integer(op, "axis", "AxisTensor"))
    size, reverse, pairs = x.shape[axis], op.flag("reverse"), [(0, 0)] * x.rank
    if op.flag("exclusive"):
        x = b.slice(
            b.pad(x, {axis: (0, 1) if reverse else (1, 0)}),
            {axis: range(1, size + 1) if reverse else range(size)},
        )
    pairs[axis] = (0, size - 1) if reverse else (size - 1, 0)
    extents = [size if n == axis else 1 for n in range(x.rank)]
    ctx.output(op, b.window("add", x, extents, [1] * x.rank, pairs))


def _arg(op: BridgeOp, ctx: Context) -> None:
    """arg_max, arg_min → the least position of an element that equals the largest or least one."""
    b, x, dtype = ctx.builder, ctx.input(op, "X"), op.output().dtype
    if dtype not in (DType.INT32, DType.INT64) or x.dtype is DType.BOOL:
        raise Declined(f"X is {op['X']} and the result {dtype}, expected numbers, and int32 or int64")
    whole, rank, keep = op.flag("flatten") or not x.rank, x.rank, op.flag("keepdims")
    flat = b.reshape(x, (math.prod(x.shape),)) if whole else x
    axis = 0 if whole else op["X"].axis(op.integer("axis"))
    best = b.reduce("maximum" if op.op == "arg_max" else "minimum", flat, [axis], keep=True)
    size = flat.shape[axis]
    positions = b.iota([size if n == axis else 1 for n in range(flat.rank)], axis, dtype)
    # Where an element is no number, it is the best, and equals nothing.
    found = b.binary("or", b.compare("EQ", flat, best), b.compare("NE", flat, flat))
    last = op.flag("select_last_index")
    candidates = b.select(found, positions, b.array(np.array(-1 if last else size, dtype.numpy)))
    result = b.reduce("maximum" if last else "minimum", candidates, [axis], keep=keep)
    ctx.output(op, b.reshape(result, (1,) * rank) if whole and keep else result)


register(
    __name__,
    {
        **dict.fromkeys(_NAMES, _reduce),
        "arg_max": _arg,
        "arg_min": _arg,
        "cumsum": _cumsum,
        "logsumexp": _logsumexp,
        "mean": _mean,
        "reduce_mean": _mean,
    },
)
