"""pad, pad2d, pad3d, pad_nd → Pad, center_crop_pad → CenterCropPad (ONNX opset 21).

Negative paddings take the mode constant only.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.onnxruntime.bridging import Context, Declined, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.shape_inputs import flat_int64, integer_tensor, known_integers
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
    """pad → Pad with a constant; negative paddings cut."""
    pads = op.integers("paddings")
    x, b = ctx.input(op, "X"), ctx.builder
    if not op["X"].rank:
        ctx.output(op, b.add("Identity", x))
        return
    onnx_pads = b.ints(*pads[::2], *pads[1::2])
    ctx.output(op, b.add("Pad", x, onnx_pads, b.scalar(op.real("pad_value"), x.dtype)))


@converts("pad2d", "pad3d")
def pad_image(op: BridgeOp, ctx: Context) -> None:
    """pad2d, pad3d → Pad of spatial axes: pad2d lists rows before columns, pad3d the last axis first."""
    rank = 4 if op.op == "pad2d" else 5
    axes: Sequence[int] = image_axes(op.text("data_format"), rank)
    if op.op == "pad3d":
        axes = list(axes)[::-1]
    value = op.real("pad_value" if op.op == "pad2d" else "value")
    mode = _MODES[op.text("mode")]
    x, b = ctx.input(op, "X"), ctx.builder
    fill = b.scalar(value, x.dtype) if mode == "constant" else None
    paddings = known_integers(op, "paddings", "Paddings")
    if paddings is not None:
        _check_negative(paddings, mode)
        pads: Tensor = b.ints(*paddings[::2], *paddings[1::2])
    else:
        pairs = b.reshape(flat_int64(ctx, ctx.input(op, "Paddings"), op["Paddings"]), -1, 2)
        pads = b.flat(b.transpose(pairs, [1, 0]))
    ctx.output(op, b.add("Pad", x, pads, fill, b.ints(*axes), mode=mode))


def _check_negative(pads: Sequence[int], mode: str) -> None:
    if mode != "constant" and min(pads, default=0) < 0:
        raise Declined(f"paddings are {list(pads)}; in mode {mode}, ONNX takes none below 0")


@converts("pad_nd")
def pad_nd(op: BridgeOp, ctx: Context) -> None:
    """pad_nd → Pad."""
    b, mode = ctx.builder, op.text("mode")
    x = ctx.input(op, "X")
    pads = known_integers(op, "paddings", "Paddings")
    if pads is None and mode != "constant":
        raise Declined(f"Paddings must be constant in mode {mode}: negative ones differ from Paddle's")
    _check_negative(pads or (), mode)
    axes = known_integers(op, "axes", "Axes")
    axes_tensor = None if axes == [] else integer_tensor(op, ctx, "axes", "Axes")
    value_meta = op.get("Value")
    fill = None
    if mode == "constant":
        value = ctx.optional(op, "Value")
        if value is None or (value_meta is not None and value_meta.shape == (0,)):
            fill = b.scalar(op.real("value"), x.dtype)
        else:
            fill = b.rank_0(b.cast(value, x.dtype))
    result = b.add("Pad", x, integer_tensor(op, ctx, "paddings", "Paddings"), fill, axes_tensor, mode=mode)
    ctx.output(op, result)


@converts("center_crop_pad")
def center_crop_pad(op: BridgeOp, ctx: Context) -> None:
    """center_crop_pad → CenterCropPad."""
    axes = op.integers("axes")
    b = ctx.builder
    sizes = b.cast(ctx.input(op, "Shape"), DType.INT64)
    x = ctx.input(op, "X")
    ctx.output(op, b.add("CenterCropPad", x, sizes, axes=axes) if axes else b.add("CenterCropPad", x, sizes))
