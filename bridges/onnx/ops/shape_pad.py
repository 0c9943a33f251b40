"""pad_nd → Pad, center_crop_pad → CenterCropPad (ONNX opset 21).

Negative paddings require mode constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.shape_inputs import integer_tensor, known_integers
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


def _check_negative(pads: Sequence[int], mode: str) -> None:
    if mode != "constant" and min(pads, default=0) < 0:
        raise Declined(f"paddings are {list(pads)}, expected none below 0 for ONNX in mode {mode}")


@converts("pad_nd")
def pad_nd(op: BridgeOp, ctx: Context) -> None:
    """pad_nd → Pad; in mode constant, negative paddings crop."""
    b, mode = ctx.builder, op.text("mode")
    x = ctx.input(op, "X")
    if not op["X"].rank:
        ctx.output(op, b.add("Identity", x))
        return
    pads = known_integers(op, "paddings", "Paddings")
    if pads is None and mode != "constant":
        raise Declined(f"Paddings must be constant in mode {mode}: negative ones differ from Paddle's")
    _check_negative(pads or (), mode)
    axes = known_integers(op, "axes", "Axes")
    if pads is not None and axes:
        # Some compilers of ONNX models ignore the list of axes.
        pads_tensor, axes_tensor = b.ints(*_of_all_axes(op, pads, axes)), None
    else:
        pads_tensor = integer_tensor(op, ctx, "paddings", "Paddings")
        axes_tensor = None if axes == [] else integer_tensor(op, ctx, "axes", "Axes")
    value_meta = op.get("Value")
    fill = None
    if mode == "constant":
        value = ctx.optional(op, "Value")
        if value is None or (value_meta is not None and value_meta.shape == (0,)):
            fill = b.scalar(op.real("value"), x.dtype)
        else:
            fill = b.rank_0(b.cast(value, x.dtype))
    ctx.output(op, b.add("Pad", x, pads_tensor, fill, axes_tensor, mode=mode))


def _of_all_axes(op: BridgeOp, pads: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The paddings before and after each axis, from those of some axes."""
    sides = np.zeros((2, op["X"].rank), np.int64)
    sides[:, [op["X"].axis(axis) for axis in axes]] = np.reshape(pads, (2, -1))
    return [int(size) for size in sides.reshape(-1)]


@converts("center_crop_pad")
def center_crop_pad(op: BridgeOp, ctx: Context) -> None:
    """center_crop_pad → CenterCropPad."""
    axes = op.integers("axes")
    b = ctx.builder
    sizes = b.cast(ctx.input(op, "Shape"), DType.INT64)
    x = ctx.input(op, "X")
    ctx.output(op, b.add("CenterCropPad", x, sizes, axes=axes) if axes else b.add("CenterCropPad", x, sizes))
