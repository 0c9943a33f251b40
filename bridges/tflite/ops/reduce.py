"""reduce_*, mean, logsumexp, cumsum, arg_max, arg_min, top_k_v2 → SUM, MEAN, CUMSUM, ARG_MAX, TOPK_V2, …"""

from __future__ import annotations

import math

import numpy as np

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.schema import TYPES
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_CODES = {
    "reduce_all": "REDUCE_ALL",
    "reduce_any": "REDUCE_ANY",
    "reduce_max": "REDUCE_MAX",
    "reduce_mean": "MEAN",
    "reduce_min": "REDUCE_MIN",
    "reduce_prod": "REDUCE_PROD",
    "reduce_sum": "SUM",
}


def _axes(op: BridgeOp, rank: int) -> list[int]:
    axes = [] if op.flag("reduce_all") else require_integers(op, "dim", "AxisTensor")
    return sorted({axis % rank for axis in axes}) or list(range(rank))


def _reduce(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if not x.rank:
        raise Declined("X has no axes")
    x = b.cast(x, op.output().dtype)
    keep = op.flag("keep_dim")
    if op.op != "logsumexp":
        ctx.output(op, b.reduce(_CODES[op.op], x, _axes(op, x.rank), keep=keep))
        return
    axes = _axes(op, x.rank)
    highest = b.reduce("REDUCE_MAX", x, axes, keep=True)
    total = b.reduce("SUM", b.unary("EXP", b.binary("SUB", x, highest)), axes, keep=True)
    result = b.binary("ADD", b.unary("LOG", total), highest)
    ctx.output(op, result if keep else b.squeeze(result, axes))


def _mean(op: BridgeOp, ctx: Context) -> None:
    x = ctx.input(op, "X")
    if not x.rank:
        raise Declined("X has no axes")
    ctx.output(op, ctx.builder.reduce("MEAN", x, range(x.rank), keep=False))


def _cumsum(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if op.flag("keep_single") and all(size == 1 for size in x.shape):
        raise Declined("X may be a single element, which is returned unchanged (keep_single=true)")
    if op.flag("flatten") or not x.rank:
        raise Declined("it sums all elements in one row (flatten=true, or X without axes)")
    axis = op["X"].axis(require_integer(op, "axis", "AxisTensor"))
    stored = b.form(x)
    where = b.numbers(axis)
    exclusive, reverse = op.flag("exclusive"), op.flag("reverse")
    result = b.add("CUMSUM", [stored, where], stored.shape, exclusive=exclusive, reverse=reverse)
    ctx.output(op, b.wrap(result))


def _arg(op: BridgeOp, ctx: Context) -> None:
    """arg_max, arg_min → ARG_MAX, ARG_MIN, which find the first of equal elements."""
    b, x, dtype = ctx.builder, ctx.input(op, "X"), op.output().dtype
    if op.flag("select_last_index"):
        raise Declined("it takes the last of equal elements (select_last_index=true)")
    if dtype not in (DType.INT32, DType.INT64):
        raise Declined(f"its result is {dtype}, expected int32 or int64")
    whole, rank = op.flag("flatten") or not x.rank, x.rank
    flat = b.reshape(x, (math.prod(x.shape),)) if whole else x
    axis = 0 if whole else op["X"].axis(op.integer("axis"))
    stored = b.form(flat)
    shape = [size for n, size in enumerate(stored.shape) if n != axis]
    code = op.op.upper()
    result = b.wrap(b.add(code, [stored, b.numbers(axis)], shape, dtype, output_type=TYPES[dtype]))
    if op.flag("keepdims"):
        result = b.reshape(result, [1] * rank if whole else [*shape[:axis], 1, *shape[axis:]])
    ctx.output(op, result)


def _top_k(op: BridgeOp, ctx: Context) -> None:
    """top_k_v2 of the largest along the last axis → TOPK_V2."""
    b, x = ctx.builder, ctx.input(op, "X")
    if not x.rank:
        raise Declined("X has no axes")
    axis, count = op["X"].axis(op.integer("axis")), require_integer(op, "k", "K")
    if not op.flag("largest"):
        raise Declined("it takes the least elements (largest=false)")
    order = (*(n for n in range(x.rank) if n != axis), axis)
    stored = b.form(x, order)
    shape = (*stored.shape[:-1], count)
    values, indices = b.add_all(
        "TOPK_V2", [stored, b.stored_array(np.array(count, np.int32))], [shape, shape], x.dtype
    )
    indices.dtype = DType.INT32
    ctx.output(op, b.wrap(values, order), "Out")
    if op.writes("Indices"):
        ctx.output(op, b.cast(b.wrap(indices, order), DType.INT64), "Indices")


register(
    __name__,
    {
        **dict.fromkeys((*_CODES, "logsumexp"), _reduce),
        "arg_max": _arg,
        "arg_min": _arg,
        "cumsum": _cumsum,
        "mean": _mean,
        "top_k_v2": _top_k,
    },
)
