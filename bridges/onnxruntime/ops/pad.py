"""Borders around tensors."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import flat_int64, numbers, vector
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.defs.pad import image_axes
from lite.plugin.device import BridgeOp

_MODES = {
    "constant": "constant",
    "reflect": "reflect",
    "edge": "edge",
    "replicate": "edge",
    "circular": "wrap",
}


@converts("pad")
def pad(op: BridgeOp, ctx: Context) -> None:
    """Pad with a constant; negative numbers cut."""
    pads = op.integers("paddings")
    x, b = ctx.input(op, "X"), ctx.builder
    if not op["X"].rank:
        ctx.output(op, b.add("Identity", x))
        return
    target = b.ints(*pads[::2], *pads[1::2])
    ctx.output(op, b.add("Pad", x, target, b.scalar(op.real("pad_value"), x.dtype)))


@converts("pad2d", "pad3d")
def pad_image(op: BridgeOp, ctx: Context) -> None:
    """Pad of spatial axes: pad2d names rows before columns, pad3d the last axis first."""
    rank = 4 if op.op == "pad2d" else 5
    axes: Sequence[int] = image_axes(op.text("data_format"), rank)
    if op.op == "pad3d":
        axes = list(axes)[::-1]
    value = op.real("pad_value" if op.op == "pad2d" else "value")
    mode = _MODES[op.text("mode")]
    x, b = ctx.input(op, "X"), ctx.builder
    filling = b.scalar(value, x.dtype) if mode == "constant" else None
    found = numbers(op, "paddings", "Paddings")
    if found is not None:
        _check_negative(found, mode)
        pads: Tensor = b.ints(*found[::2], *found[1::2])
    else:
        pads = b.flat(
            b.transpose(b.reshape(flat_int64(ctx, ctx.input(op, "Paddings"), op["Paddings"]), -1, 2), [1, 0])
        )
    ctx.output(op, b.add("Pad", x, pads, filling, b.ints(*axes), mode=mode))


def _check_negative(pads: Sequence[int], mode: str) -> None:
    if mode != "constant" and min(pads, default=0) < 0:
        raise CompileError(f"paddings must not be negative in mode {mode}, got {list(pads)}")


@converts("pad_nd")
def pad_nd(op: BridgeOp, ctx: Context) -> None:
    """Pad."""
    b, mode = ctx.builder, op.text("mode")
    x = ctx.input(op, "X")
    pads = numbers(op, "paddings", "Paddings")
    if pads is None and mode != "constant":
        raise CompileError(f"Paddings must be constant in mode {mode}: where they are negative, modes differ")
    _check_negative(pads or (), mode)
    axes = numbers(op, "axes", "Axes")
    places = None if axes == [] else vector(op, ctx, "axes", "Axes")
    given = op.get("Value")
    filling = None
    if mode == "constant":
        value = ctx.optional(op, "Value")
        if value is None or (given is not None and given.shape == (0,)):
            filling = b.scalar(op.real("value"), x.dtype)
        else:
            filling = b.add("Reshape", b.cast(value, x.dtype), b.ints())
    result = b.add("Pad", x, vector(op, ctx, "paddings", "Paddings"), filling, places, mode=mode)
    ctx.output(op, result)


@converts("center_crop_pad")
def center_crop_pad(op: BridgeOp, ctx: Context) -> None:
    """CenterCropPad."""
    axes = op.integers("axes")
    b = ctx.builder
    sizes = b.cast(ctx.input(op, "Shape"), DType.INT64)
    x = ctx.input(op, "X")
    ctx.output(op, b.add("CenterCropPad", x, sizes, axes=axes) if axes else b.add("CenterCropPad", x, sizes))
