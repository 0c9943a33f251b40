"""softmax → SoftMax, log_softmax → LogSoftmax, lrn → LRN, norm and p_norm → Reduce… (opset 15).

float16 and float32 of rank 1 or more.  lrn takes an odd n and a k above 0.
"""

from __future__ import annotations

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.real_values import extreme_result
from lite.bridges.openvino.row import Row
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _why_not_softmax(op: BridgeOp) -> str | None:
    return None if op["X"].rank else "X has no axes"


def _softmax(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.softmax(x, op["X"].axis(op.integer("axis")))


def _log_softmax(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.log_softmax(x, op["X"].axis(op.integer("axis")))


def _lrn(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """lrn → LRN, which divides alpha by n, and whose bias is 1 on the CPU plugin, whatever its attribute."""
    size, last = op.integer("n"), is_channel_last(op.text("data_format"))
    k, beta = op.real("k"), op.real("beta")
    x = b.channels_first(x, 4, last=last)
    normed = b.op.lrn(x, b.ints([1]), op.real("alpha") * size / k, beta, 1.0, size).output(0)
    if k != 1:
        normed = b.op.multiply(normed, b.like(k**-beta, x))
    return b.channels_restored(normed, 4, last=last)


def _why_not_lrn(op: BridgeOp) -> str | None:
    if op.integer("n") % 2 == 0:
        return f"n is {op.integer('n')}, expected an odd number"
    return None if op.real("k") > 0 else f"k is {op.real('k')}, expected more than 0"


def _l2_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """norm → X / √(Σ X² + epsilon) along an axis."""
    axis = b.ints([op["X"].axis(op.integer("axis"))])
    squares = b.op.reduce_sum(b.op.multiply(x, x), axis, keep_dims=True)
    return b.op.divide(x, b.op.sqrt(b.op.add(squares, b.like(op.real("epsilon"), x))))


def _p_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """p_norm → (Σ |X|^p)^(1/p); the largest or least |X| for p = ±∞, the number of non-zeros for p = 0."""
    order, keep = op.real("porder"), op.flag("keepdim")
    axes = range(op["X"].rank) if op.flag("asvector") else [op["X"].axis(op.integer("axis"))]
    magnitude, over = b.magnitude(x), b.ints(list(axes))
    if np.isinf(order):
        reduce = b.op.reduce_max if order > 0 else b.op.reduce_min
        return extreme_result(b, op, reduce(magnitude, over, keep))
    if order == 0:
        nonzero = b.op.convert_like(b.op.not_equal(x, b.like(0, x)), x)
        return b.op.reduce_sum(nonzero, over, keep)
    if order == 1:
        return b.op.reduce_sum(magnitude, over, keep)
    powers = b.op.multiply(x, x) if order == 2 else b.op.power(magnitude, b.like(order, x))
    total = b.op.reduce_sum(powers, over, keep)
    return b.op.sqrt(total) if order == 2 else b.op.power(total, b.like(1 / order, x))


bridge("openvino", "softmax")(Row("X", _softmax, check=_why_not_softmax))
bridge("openvino", "log_softmax")(Row("X", _log_softmax, check=_why_not_softmax))
bridge("openvino", "lrn")(Row("X", _lrn, check=_why_not_lrn))
bridge("openvino", "norm")(Row("X", _l2_norm))
bridge("openvino", "p_norm")(Row("X", _p_norm))
