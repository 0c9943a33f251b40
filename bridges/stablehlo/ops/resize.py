"""*_interp_v2, resize → gather of the nearest pixels, or products with matrices along each axis.

Real numbers, channels first or last.  Nearest pixels that each repeat a whole number of times are broadcast.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.interpolation import (
    linear_matrix,
    onnx_nearest,
    onnx_positions,
    onnx_ratios,
    paddle_ratios,
)
from lite.emission.sizes import sizes
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ir.types import Array
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _interp(op: BridgeOp, ctx: Context) -> None:
    b, x, result = ctx.builder, ctx.input(op, "X"), sizes(op.output())
    axes = range(1, x.rank - 1) if is_channel_last(op.text("data_layout")) else range(2, x.rank)
    image, outs = [x.shape[axis] for axis in axes], [result[axis] for axis in axes]
    ratios, corners = paddle_ratios(op, image, outs), op.flag("align_corners")
    half = not corners and op.integer("align_mode") == 0
    for axis, size, out, ratio in zip(axes, image, outs, ratios, strict=True):
        rows = np.arange(out)
        if op.op == "nearest_interp_v2":
            positions = rows * np.float32(ratio) + (0.5 if corners else 0)
            x = _picked(b, x, axis, np.minimum(positions.astype(np.int64), size - 1))
        else:
            x = _along(op, b, x, axis, (rows + 0.5) * ratio - 0.5 if half else rows * ratio)
    ctx.output(op, x)


def _resize(op: BridgeOp, ctx: Context) -> None:
    """resize, which is ONNX's Resize."""
    b, x, outs = ctx.builder, ctx.input(op, "X"), sizes(op.output())
    for axis, ratio in onnx_ratios(op, x.shape, outs).items():
        size, out = x.shape[axis], outs[axis]
        if ratio == 1 and size == out:
            continue
        positions = onnx_positions(op, size, out, ratio)
        if op.text("mode") == "nearest":
            x = _picked(b, x, axis, onnx_nearest(op, positions, size))
        else:
            x = _along(op, b, x, axis, positions)
    ctx.output(op, x)


def _along(op: BridgeOp, b: Builder, x: Tensor, axis: int, positions: Array) -> Tensor:
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
    return b.along(x, axis, linear_matrix(positions, x.shape[axis]).astype(x.dtype.numpy))


def _picked(b: Builder, x: Tensor, axis: int, indices: Array) -> Tensor:
    size, out = x.shape[axis], len(indices)
    if np.array_equal(indices, np.repeat(np.arange(size), out // size)):
        before, after = x.shape[:axis], x.shape[axis + 1 :]
        wide = b.broadcast(b.reshape(x, (*before, size, 1, *after)), (*before, size, out // size, *after))
        return b.reshape(wide, (*before, out, *after))
    return b.gather(x, b.array(indices), axis)


register(
    __name__,
    {
        **dict.fromkeys(
            ("bilinear_interp_v2", "linear_interp_v2", "nearest_interp_v2", "trilinear_interp_v2"), _interp
        ),
        "resize": _resize,
    },
)
