"""softmax → SOFTMAX, reduce_mean → REDUCE_MEAN: what goes along axes."""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import sizes, why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "softmax")
class Softmax:
    """Along one axis."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        axis = op["X"].axis(op.integer("axis"))
        ctx.output(op, ctx.builder.add("SOFTMAX", ctx.input(op, "X"), axis=axis))


@bridge("sim_npu", "reduce_mean")
class ReduceMean:
    """Over some axes or all; without keep_dim, a RESHAPE drops them."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        rank = op["X"].rank
        axes = sorted({axis % rank for axis in op.integers("dim")})
        if op.flag("reduce_all") or not axes:
            axes = list(range(rank))
        means = ctx.builder.add("REDUCE_MEAN", ctx.input(op, "X"), axes=axes)
        ctx.output(op, ctx.builder.reshape(means, sizes(op.output())))
