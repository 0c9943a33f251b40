"""*_interp_v2, resize → RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR, GATHER, or FULLY_CONNECTED by axes.

X float32[N, C, …], or channels last.  The operators serve images whose positions they compute as Paddle does.
Else nearest pixels are gathered, and a product with a matrix interpolates along each axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.tflite.ops.slice import gathered
from lite.emission.conversion import Declined
from lite.emission.interpolation import (
    linear_matrix,
    onnx_nearest,
    onnx_positions,
    onnx_ratios,
    paddle_ratios,
)
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Order, Tensor, channels_last
from lite.ir.types import Array
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _interp(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    method = op.op.partition("_")[0]
    order = channels_last(x.rank, last=is_channel_last(op.text("data_layout")))
    axes = order[1:-1]
    result = op.output()
    image, outs = [x.shape[axis] for axis in axes], [sizes(result)[axis] for axis in axes]
    ratios = paddle_ratios(op, image, outs)
    corners = op.flag("align_corners")
    by_size = ratios == [size / out for size, out in zip(image, outs, strict=True)]
    if method == "bicubic":
        raise Declined("it is cubic; TFLite interpolates linearly")
    if method == "nearest":
        if x.rank == 4 and by_size and not corners and _exact(image, outs):
            ctx.output(op, _operator(b, x, order, outs, "RESIZE_NEAREST_NEIGHBOR", half=False, corners=False))
            return
        for axis, size, out, ratio in zip(axes, image, outs, ratios, strict=True):
            positions = np.arange(out) * np.float32(ratio) + (0.5 if corners else 0)
            indices = np.minimum(positions.astype(np.int32), size - 1)
            x = gathered(b, x, b.array(indices), axis)
        ctx.output(op, x)
        return
    half = not corners and op.integer("align_mode") == 0
    if x.rank == 4 and (by_size or corners) and 1 not in outs:
        ctx.output(op, _operator(b, x, order, outs, "RESIZE_BILINEAR", half=half, corners=corners))
        return
    for axis, size, out, ratio in zip(axes, image, outs, ratios, strict=True):
        positions = (np.arange(out) + 0.5) * ratio - 0.5 if half else np.arange(out) * ratio
        x = _along(b, x, axis, linear_matrix(positions, size))
    ctx.output(op, x)


def _exact(image: Sequence[int], outs: Sequence[int]) -> bool:
    """Whether each axis grows or shrinks by a whole number, so that no rounding decides."""
    return all(not out % size or not size % out for size, out in zip(image, outs, strict=True))


def _operator(
    b: Builder, x: Tensor, order: Order, outs: Sequence[int], code: str, *, half: bool, corners: bool
) -> Tensor:
    stored = b.form(x, order)
    shape = (stored.shape[0], *outs, stored.shape[3])
    pixels = b.numbers(*outs)
    result = b.add(code, [stored, pixels], shape, align_corners=corners, half_pixel_centers=half)
    return b.wrap(result, order)


def _along(b: Builder, x: Tensor, axis: int, matrix: Array) -> Tensor:
    """The product of a matrix with each row along an axis."""
    order = (*(n for n in range(x.rank) if n != axis), axis)
    rows = b.form(x, order)
    weight = b.stored_array(matrix)
    result = b.add(
        "FULLY_CONNECTED", [rows, weight, None], (*rows.shape[:-1], matrix.shape[0]), keep_num_dims=True
    )
    return b.wrap(result, order)


def _resize(op: BridgeOp, ctx: Context) -> None:
    """resize, which is ONNX's Resize, along each axis: nearest pixels or linear interpolation."""
    b, x, mode = ctx.builder, ctx.input(op, "X"), op.text("coordinate_transformation_mode")
    outs = sizes(op.output())
    by_axis = onnx_ratios(op, x.shape, outs)
    if not set(by_axis.values()) - {1.0} and x.shape == outs:
        ctx.output(op, x)
        return
    if _is_bilinear(op, x, by_axis, outs):
        half, corners = mode.endswith("half_pixel"), mode == "align_corners"
        order = channels_last(4)
        ctx.output(op, _operator(b, x, order, outs[2:], "RESIZE_BILINEAR", half=half, corners=corners))
        return
    for axis, ratio in by_axis.items():
        if ratio != 1 or x.shape[axis] != outs[axis]:
            x = _resized_along(op, b, x, axis, outs[axis], ratio)
    ctx.output(op, x)


def _is_bilinear(op: BridgeOp, x: Tensor, ratios: dict[int, float], outs: Sequence[int]) -> bool:
    if x.rank != 4 or op.text("mode") != "linear" or 1 in outs[2:]:
        return False
    return all(
        ratios.get(axis, 1) == x.shape[axis] / outs[axis] and (axis > 1 or x.shape[axis] == outs[axis])
        for axis in range(4)
    )


def _resized_along(op: BridgeOp, b: Builder, x: Tensor, axis: int, out: int, ratio: float) -> Tensor:
    size = x.shape[axis]
    positions = onnx_positions(op, size, out, ratio)
    if op.text("mode") == "nearest":
        return gathered(b, x, b.array(onnx_nearest(op, positions, size).astype(np.int32)), axis)
    return _along(b, x, axis, linear_matrix(positions, size))


register(
    __name__,
    {
        "bilinear_interp_v2": _interp,
        "linear_interp_v2": _interp,
        "nearest_interp_v2": _interp,
        "resize": _resize,
        "trilinear_interp_v2": _interp,
    },
)
