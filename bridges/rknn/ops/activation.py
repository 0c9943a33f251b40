"""gelu → Erf, or Tanh: opset 19, the newest that the toolkit reads, has no Gelu."""

from __future__ import annotations

import math

from lite.emission.onnx.bridging import Context, converts_for
from lite.plugin.device import BridgeOp


@converts_for("rknn", "gelu")
def gelu(op: BridgeOp, ctx: Context) -> None:
    """gelu → X / 2 · (1 + erf(X / √2)), or with the approximation by tanh."""
    x, b = ctx.input(op, "X"), ctx.builder
    half, one = b.scalar(0.5, x.dtype), b.scalar(1.0, x.dtype)
    if op.flag("approximate"):
        cube = b.add("Mul", b.add("Mul", x, x), x)
        inner = b.add("Add", x, b.add("Mul", cube, b.scalar(0.044715, x.dtype)))
        gate = b.add("Tanh", b.add("Mul", inner, b.scalar(math.sqrt(2 / math.pi), x.dtype)))
    else:
        gate = b.add("Erf", b.add("Mul", x, b.scalar(math.sqrt(0.5), x.dtype)))
    ctx.output(op, b.add("Mul", b.add("Mul", x, half), b.add("Add", gate, one)))
