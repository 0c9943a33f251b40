"""reduce_*, mean, logsumexp, arg_max, arg_min → reduce_sum, reduce_mean, reduce_argmax, …

float32; axes are known.
"""

from __future__ import annotations

import math

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.attributes import require_integers
from lite.emission.conversion import Declined
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_OPERATIONS = {
    "logsumexp": "reduce_log_sum_exp",
    "reduce_max": "reduce_max",
    "reduce_mean": "reduce_mean",
    "reduce_min": "reduce_min",
    "reduce_prod": "reduce_prod",
    "reduce_sum": "reduce_sum",
}


def _reduced(b: Builder, operation: str, x: Tensor, axes: list[int], *, keep: bool) -> Tensor:
    return b.add(operation, x=x, axes=axes, keep_dims=keep)


def _reduce(op: BridgeOp, ctx: Context) -> None:
    b, x, rank = ctx.builder, ctx.input(op, "X"), op["X"].rank
    if op["X"].dtype is not DType.FLOAT32 or op.output().dtype is not DType.FLOAT32 or not rank:
        raise Declined(f"X is {op['X']}, expected float32 with axes")
    axes = [] if op.flag("reduce_all") else require_integers(op, "dim", "AxisTensor")
    axes = sorted({axis % rank for axis in axes}) or list(range(rank))
    ctx.output(op, _reduced(b, _OPERATIONS[op.op], x, axes, keep=op.flag("keep_dim")))


def _mean(op: BridgeOp, ctx: Context) -> None:
    if op["X"].dtype is not DType.FLOAT32 or not op["X"].rank:
        raise Declined(f"X is {op['X']}, expected float32 with axes")
    axes = list(range(op["X"].rank))
    ctx.output(op, _reduced(ctx.builder, "reduce_mean", ctx.input(op, "X"), axes, keep=False))


def _arg(op: BridgeOp, ctx: Context) -> None:
    b, x, dtype, rank = ctx.builder, ctx.input(op, "X"), op.output().dtype, op["X"].rank
    if op.flag("select_last_index"):
        raise Declined("it takes the last of equal elements (select_last_index=true)")
    if dtype not in (DType.INT32, DType.INT64) or op["X"].dtype is not DType.FLOAT32 or not rank:
        raise Declined(f"X is {op['X']} and the result {dtype}; expected float32 with axes, and an integer")
    whole, keep = op.flag("flatten"), op.flag("keepdims")
    flat = b.reshape(x, (math.prod(b.shape(x)),)) if whole else x
    axis = 0 if whole else op["X"].axis(op.integer("axis"))
    operation = "reduce_argmax" if op.op == "arg_max" else "reduce_argmin"
    result = b.add(operation, x=flat, axis=axis, keep_dims=keep)
    ctx.output(op, b.reshape(result, (1,) * rank) if whole and keep else result)


register(__name__, {**dict.fromkeys(_OPERATIONS, _reduce), "arg_max": _arg, "arg_min": _arg, "mean": _mean})
