"""hard_swish → HardSwish, or X · Clip(slope · X + offset).

onnxruntime-qnn 2.7.0 makes X · HardSigmoid(X) one node, which computes X · X.
"""

from __future__ import annotations

from lite.emission.onnx.bridging import Context, converts_for
from lite.plugin.device import BridgeOp


@converts_for("qnn", "hard_swish")
def hard_swish(op: BridgeOp, ctx: Context) -> None:
    """hard_swish → HardSwish for its usual numbers; the gate is a Clip for others."""
    x, b = ctx.input(op, "X"), ctx.builder
    threshold, scale, offset = op.real("threshold"), op.real("scale"), op.real("offset")
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        ctx.output(op, b.add("HardSwish", x))
        return
    gate = b.add("Add", b.add("Mul", x, b.scalar(1 / scale, x.dtype)), b.scalar(offset / scale, x.dtype))
    gate = b.add("Clip", gate, b.scalar(0.0, x.dtype), b.scalar(threshold / scale, x.dtype))
    ctx.output(op, b.add("Mul", x, gate))
