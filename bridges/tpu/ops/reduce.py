"""reduce_mean, reduce_sum, reduce_max, reduce_min, mean → Reduce over known axes."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.bridges.tpu.shape_inputs import known_integers, why_not_unknown_integers
from lite.plugin.device import BridgeOp, bridge

_MODES = {
    "reduce_max": "ReduceMax",
    "reduce_mean": "ReduceMean",
    "reduce_min": "ReduceMin",
    "reduce_sum": "ReduceSum",
}


def _axes(op: BridgeOp) -> list[int]:
    rank = op["X"].rank
    numbers = [] if op.flag("reduce_all") else known_integers(op, "dim", "AxisTensor") or []
    return sorted({axis % rank for axis in numbers}) or list(range(rank))


def _why_not(op: BridgeOp) -> str | None:
    if op.flag("reduce_all"):
        return None
    return why_not_unknown_integers(op, "dim", "AxisTensor")


def _reduce(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """The reduced axes come last, as one: the chip reduces neighbouring axes only."""
    axes, rank, shape = _axes(op), op["X"].rank, op["X"].sizes
    kept = [axis for axis in range(rank) if axis not in axes]
    x = b.transposed(x, [*kept, *axes])
    rows, columns = 1, 1
    for axis in kept:
        rows *= shape[axis]
    for axis in axes:
        columns *= shape[axis]
    x = b.lang.reduce(b.shaped(x, [rows, columns]), _MODES[op.op], [1], True)
    return b.shaped(x, op.output().sizes)


def _mean(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    count = 1
    for size in op["X"].sizes:
        count *= size
    return b.shaped(b.lang.reduce(b.shaped(x, [1, count]), "ReduceMean", [1], True), op.output().sizes)


for _name in _MODES:
    bridge("tpu", _name)(Row("X", _reduce, _why_not, known=("AxisTensor",)))
bridge("tpu", "mean")(Row("X", _mean))
