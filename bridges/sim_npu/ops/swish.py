"""swish and silu: the device has no such operator, but SIGMOID and MUL."""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "swish", "silu")
class Swish:
    """x · SIGMOID(beta · x)."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        add = ctx.builder.add
        x = ctx.input(op, "X")
        beta = op.real("beta") if op.op == "swish" else 1.0
        scaled = x if beta == 1.0 else add("MUL", x, ctx.builder.scalar(beta, x))
        ctx.output(op, add("MUL", x, add("SIGMOID", scaled)))
