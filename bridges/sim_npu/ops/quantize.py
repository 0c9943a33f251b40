"""affine_quantize, affine_dequantize at the edges of a region in int8: no node.

The real numbers are quantised with the same parameters, so their integers are those of the edge.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "affine_quantize", "affine_dequantize")
class Edge:
    """The tensor itself, with or without its quantisation."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        real = op["X"] if op.op == "affine_quantize" else op.output()
        if real.quant is None:
            return "the device quantises at the edges of regions in int8 only, not within models of float"
        return None

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.with_quant(ctx.input(op, "X"), op.output().quant))
