"""Products by index notation, determinants and inverses, transforms of signals, losses."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes
from lite.bridges.onnxruntime.ops.sizes import flat_int64
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("determinant")
def determinant(op: BridgeOp, ctx: Context) -> None:
    """Det."""
    ctx.output(op, ctx.builder.add("Det", ctx.input(op, "Input")))


@converts("einsum")
def einsum(op: BridgeOp, ctx: Context) -> None:
    """Einsum."""
    ctx.output(op, ctx.builder.add("Einsum", *ctx.inputs(op, "Operands"), equation=op.text("equation")))


@converts("inverse")
def inverse(op: BridgeOp, ctx: Context) -> None:
    """Inverse, which ONNX Runtime has beside ONNX."""
    ctx.output(op, ctx.builder.add("Inverse", ctx.input(op, "Input"), domain="com.microsoft"))


@converts("col2im")
def col2im(op: BridgeOp, ctx: Context) -> None:
    """Col2Im."""
    shapes = [flat_int64(ctx, ctx.input(op, slot), op[slot]) for slot in ("ImageShape", "BlockShape")]
    given: Attributes = {
        name: op.integers(name) for name in ("dilations", "pads", "strides") if op.integers(name)
    }
    ctx.output(op, ctx.builder.add("Col2Im", ctx.input(op, "X"), *shapes, **given))


@converts("stft")
def stft(op: BridgeOp, ctx: Context) -> None:
    """STFT."""
    b, window = ctx.builder, ctx.optional(op, "Window")
    step, length = (
        None if tensor is None else b.add("Reshape", b.cast(tensor, DType.INT64), b.ints())
        for tensor in (ctx.input(op, "FrameStep"), ctx.optional(op, "FrameLength"))
    )
    flag = int(op.flag("onesided"))
    ctx.output(op, b.add("STFT", ctx.input(op, "X"), step, window, length, onesided=flag))


@converts("nll_loss")
def nll_loss(op: BridgeOp, ctx: Context) -> None:
    """NegativeLogLikelihoodLoss."""
    result = ctx.builder.add(
        "NegativeLogLikelihoodLoss",
        ctx.input(op, "X"),
        ctx.input(op, "Label"),
        ctx.optional(op, "Weight"),
        ignore_index=op.integer("ignore_index"),
        reduction=op.text("reduction"),
    )
    ctx.output(op, result, "Out")


@converts("dft")
def dft(op: BridgeOp, ctx: Context) -> None:
    """DFT."""
    b, length, axis = ctx.builder, ctx.optional(op, "Length"), ctx.optional(op, "Axis")
    length = None if length is None else b.add("Reshape", b.cast(length, DType.INT64), b.ints())
    place = b.scalar(op.integer("axis"), DType.INT64)
    if axis is not None:
        place = b.add("Reshape", b.cast(axis, DType.INT64), b.ints())
    flags: Attributes = {name: int(op.flag(name)) for name in ("inverse", "onesided")}
    ctx.output(op, b.add("DFT", ctx.input(op, "X"), length, place, **flags))
