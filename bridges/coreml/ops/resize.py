"""nearest_interp_v2, bilinear_interp_v2, resize → gather of pixels, or products with matrices along an axis.

X float32[N, C, H, W], or channels last.  Nearest pixels by an integer factor become
upsample_nearest_neighbor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.conversion import Declined
from lite.emission.interpolation import (
    linear_matrix,
    onnx_nearest,
    onnx_positions,
    onnx_ratios,
    paddle_ratios,
)
from lite.emission.sizes import sizes
from lite.ir.types import Array, DType
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _interp(op: BridgeOp, ctx: Context) -> None:
    b, last = ctx.builder, is_channel_last(op.text("data_layout"))
    x = b.channels_first(ctx.input(op, "X"), 4, last=last)
    result = sizes(op.output())
    image, outs = b.shape(x)[2:], result[1:3] if last else result[2:]
    ratios, corners = paddle_ratios(op, image, outs), op.flag("align_corners")
    if op.op == "nearest_interp_v2":
        x = _nearest(b, x, image, outs, ratios, 0.5 if corners else 0)
    else:
        half = not corners and op.integer("align_mode") == 0
        for axis, (size, out, ratio) in enumerate(zip(image, outs, ratios, strict=True), start=2):
            rows = np.arange(out)
            positions = (rows + 0.5) * ratio - 0.5 if half else rows * ratio
            x = _along(b, x, axis, linear_matrix(positions, size))
    ctx.output(op, b.channels_restored(x, 4, last=last))


def _nearest(
    b: Builder,
    x: Tensor,
    image: Sequence[int],
    outs: Sequence[int],
    ratios: Sequence[float],
    offset: float,
) -> Tensor:
    whole = [out // size for size, out in zip(image, outs, strict=True)]
    if not offset and all(ratio * factor == 1 for ratio, factor in zip(ratios, whole, strict=True)):
        rows, columns = whole
        return b.add(
            "upsample_nearest_neighbor",
            x=x,
            scale_factor_height=np.float32(rows),
            scale_factor_width=np.float32(columns),
        )
    for axis, (size, out, ratio) in enumerate(zip(image, outs, ratios, strict=True), start=2):
        positions = np.arange(out) * np.float32(ratio) + offset
        indices = np.minimum(positions.astype(np.int32), size - 1)
        x = b.add("gather", x=x, indices=indices, axis=axis)
    return x


def _along(b: Builder, x: Tensor, axis: int, matrix: Array) -> Tensor:
    """An image [N, C, H, W] with axis 2 or 3 multiplied by a matrix [new size, size]."""
    if axis == 2:
        return b.add("matmul", x=matrix, y=x)
    return b.add("matmul", x=x, y=np.ascontiguousarray(matrix.T))


def _resize(op: BridgeOp, ctx: Context) -> None:
    """resize (ONNX's Resize) of the last two axes of an image → gather, or matmul with a matrix."""
    b, x = ctx.builder, ctx.input(op, "X")
    outs, image = sizes(op.output()), b.shape(x)
    ratios = onnx_ratios(op, image, outs)
    if len(outs) != 4 or outs[:2] != image[:2] or op["X"].dtype is not DType.FLOAT32:
        raise Declined(f"X is {op['X']}, expected a float32 image that is resized along its last two axes")
    for axis in (2, 3):
        ratio = ratios.get(axis, 1.0)
        if ratio != 1 or image[axis] != outs[axis]:
            x = _resized_along(op, b, x, axis, outs[axis], ratio)
    ctx.output(op, b.add("identity", x=x))


def _resized_along(op: BridgeOp, b: Builder, x: Tensor, axis: int, out: int, ratio: float) -> Tensor:
    size = b.shape(x)[axis]
    positions = onnx_positions(op, size, out, ratio)
    if op.text("mode") == "nearest":
        indices = onnx_nearest(op, positions, size).astype(np.int32)
        return b.add("gather", x=x, indices=indices, axis=axis)
    return _along(b, x, axis, linear_matrix(positions, size))


register(__name__, {"bilinear_interp_v2": _interp, "nearest_interp_v2": _interp, "resize": _resize})
