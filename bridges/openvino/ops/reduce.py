"""reduce_*, logsumexp, mean → ReduceSum, ReduceMean, ReduceLogicalAnd, …; cumsum → CumSum (opset 15).

float16 and float32; reduce_max, reduce_min and cumsum take int32 and int64 as well, reduce_all and reduce_any
take bool.  Axes are known.
"""

from __future__ import annotations

from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import BOOL, FLOAT, NUMBER, DTypes
from lite.bridges.openvino.real_values import extreme_result
from lite.bridges.openvino.reduced_constants import meets_constant
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_inputs import (
    known_integers,
    why_not_unknown_integer,
    why_not_unknown_integers,
)
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor, bool], Tensor]


def _logsumexp(b: Builder, x: Tensor, axes: Tensor, keep: bool) -> Tensor:
    """The maximum is subtracted first, so that exp does not overflow."""
    highest = b.op.reduce_max(x, axes, True)
    total = b.op.reduce_sum(b.op.exp(b.op.subtract(x, highest)), axes, keep)
    return b.op.add(b.op.log(total), highest if keep else b.op.reduce_max(x, axes, False))


_TABLE: dict[str, tuple[Function, DTypes]] = {
    "logsumexp": (_logsumexp, FLOAT),
    "reduce_all": (lambda b, x, axes, keep: b.op.reduce_logical_and(x, axes, keep), BOOL),
    "reduce_any": (lambda b, x, axes, keep: b.op.reduce_logical_or(x, axes, keep), BOOL),
    "reduce_max": (lambda b, x, axes, keep: b.op.reduce_max(x, axes, keep), NUMBER),
    "reduce_mean": (lambda b, x, axes, keep: b.op.reduce_mean(x, axes, keep), FLOAT),
    "reduce_min": (lambda b, x, axes, keep: b.op.reduce_min(x, axes, keep), NUMBER),
    "reduce_prod": (lambda b, x, axes, keep: b.op.reduce_prod(x, axes, keep), FLOAT),
    "reduce_sum": (lambda b, x, axes, keep: b.op.reduce_sum(x, axes, keep), FLOAT),
}


def _why_not_reduce(op: BridgeOp) -> str | None:
    if op.flag("reduce_all"):
        return None
    return why_not_unknown_integers(op, "dim", "AxisTensor")


def _row(function: Function, dtypes: DTypes) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
        result = reduced(b, op, x)
        return extreme_result(b, op, result) if op.node.op in ("reduce_max", "reduce_min") else result

    def reduced(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
        rank = op["X"].rank
        axes = [] if op.flag("reduce_all") else known_integers(op, "dim", "AxisTensor") or []
        axes = sorted({axis % rank for axis in axes}) if rank else []
        x = b.cast(x, op.output().dtype)
        if not rank:
            return x
        if rank != 3 or axes not in ([0], [2]) or not meets_constant(op.node):
            return function(b, x, b.ints(axes or list(range(rank))), op.flag("keep_dim"))
        keep, last, out = op.flag("keep_dim"), b.ints([rank]), op.output()
        result = function(b, b.op.unsqueeze(x, last), b.ints([*axes, rank]), keep)
        if not keep:
            return result
        # OpenVINO crashes where it joins a Squeeze with attention before it.
        return b.reshape(result, out.sizes) if out.is_static else b.op.squeeze(result, last)

    return Row("X", make, dtypes, check=_why_not_reduce)


def _mean(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.reduce_mean(x, b.ints(range(op["X"].rank)), False) if op["X"].rank else x


def _why_not_cumsum(op: BridgeOp) -> str | None:
    return why_not_unknown_integer(op, "axis", "AxisTensor")


def _cumsum(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """With `keep_single`, a tensor of one element is returned unchanged, even if exclusive."""
    dims = op["X"].dims
    whole = op.flag("flatten") or not dims
    result = b.reshape(x, [-1]) if whole else x
    if op.flag("keep_single") and all(dim == 1 for dim in dims):
        return result if op.flag("flatten") else x
    axis = 0 if whole else op["X"].axis(element(op, "axis", "AxisTensor") or 0)
    result = b.op.cumsum(result, b.integer(axis), op.flag("exclusive"), op.flag("reverse"))
    return result if dims or op.flag("flatten") else b.reshape(result, [])


for _name, (_function, _dtypes) in _TABLE.items():
    bridge("openvino", _name)(_row(_function, _dtypes))
bridge("openvino", "mean")(Row("X", _mean))
bridge("openvino", "cumsum")(Row("X", _cumsum, NUMBER, check=_why_not_cumsum))
