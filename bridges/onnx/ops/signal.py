"""stft → STFT, dft → DFT (ONNX opset 21)."""

from __future__ import annotations

from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes
from lite.emission.onnx.shape_inputs import scalar_int64
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("stft")
def stft(op: BridgeOp, ctx: Context) -> None:
    """stft → STFT."""
    b, window = ctx.builder, ctx.optional(op, "Window")
    step, length = (
        None if tensor is None else scalar_int64(ctx, tensor)
        for tensor in (ctx.input(op, "FrameStep"), ctx.optional(op, "FrameLength"))
    )
    flag = int(op.flag("onesided"))
    ctx.output(op, b.add("STFT", ctx.input(op, "X"), step, window, length, onesided=flag))


@converts("dft")
def dft(op: BridgeOp, ctx: Context) -> None:
    """dft → DFT."""
    b, length, axis = ctx.builder, ctx.optional(op, "Length"), ctx.optional(op, "Axis")
    length = None if length is None else scalar_int64(ctx, length)
    axis_number = b.scalar(op.integer("axis"), DType.INT64)
    if axis is not None:
        axis_number = scalar_int64(ctx, axis)
    flags: Attributes = {name: int(op.flag(name)) for name in ("inverse", "onesided")}
    ctx.output(op, b.add("DFT", ctx.input(op, "X"), length, axis_number, **flags))
