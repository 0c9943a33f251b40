"""reduce_mean → REDUCE_MEAN, and RESHAPE without `keep_dim`; float32 of rank 1 to 5, the result as well."""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import static_shape, why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "reduce_mean")
class ReduceMean:
    """X → REDUCE_MEAN over some or all axes, which become axes of size 1."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        rank = op["X"].rank
        axes = sorted({axis % rank for axis in op.integers("dim")})
        if op.flag("reduce_all") or not axes:
            axes = list(range(rank))
        means = ctx.builder.add("REDUCE_MEAN", ctx.input(op, "X"), axes=axes)
        ctx.output(op, ctx.builder.reshape(means, static_shape(op.output())))
