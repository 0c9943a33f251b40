"""pool2d → AvgPool or MaxPool; over the whole image → Reduce; adaptive averages → products with matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_tensors
from lite.bridges.tpu.ops.resize import along_image
from lite.bridges.tpu.row import Context
from lite.ir.types import Array
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge

MOST_STRIDE = 15
"""The largest stride of the chip's pooling."""


@bridge("tpu", "pool2d")
class Pool2d:
    """X → AvgPool, MaxPool, or a reduction over the image."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op)
        if reason is not None or _whole_image(op):
            return reason
        if op.flag("adaptive"):
            if op.flag("global_pooling"):
                return "it is global and adaptive at once, which Paddle reads as bins of one pixel"
            if op.text("pooling_type") == "avg":
                return None
            return "it is an adaptive maximum, whose windows differ in size"
        return _why_not_windows(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, last = ctx.builder, is_channel_last(op.text("data_format"))
        x = b.channels_first(ctx.input(op, "X"), 4, last=last)
        ctx.output(op, b.channels_restored(_pooled(b, op, x), 4, last=last))


def _whole_image(op: BridgeOp) -> bool:
    if op.flag("global_pooling"):
        return not op.flag("adaptive")
    return op.flag("adaptive") and op.text("pooling_type") == "avg" and op.integers("ksize") == [1, 1]


def _why_not_windows(op: BridgeOp) -> str | None:
    pads = op.integers("paddings")
    if min(pads) < 0:
        return f"paddings are {pads}; the device takes none below 0"
    if max(op.integers("strides")) > MOST_STRIDE:
        return f"strides are {op.integers('strides')}; the chip takes at most {MOST_STRIDE}"
    if not op["X"].is_static:
        return None
    inclusive = op.text("pooling_type") == "avg" and not op.flag("exclusive")
    if op.text("padding_algorithm") == "SAME" and inclusive:
        return "its averages include the padding of padding_algorithm SAME"
    for window, size in zip(_windows(op), _image(op), strict=True):
        after = _after(window, size, ceil=op.flag("ceil_mode"))
        if max(window.before, after) >= window.kernel:
            return f"a window of {window.kernel} lies outside of the image of {size}"
        if inclusive and after > window.after:
            return f"a window of {window.kernel} reaches beyond the padding, which averages include"
    return None


def _image(op: BridgeOp) -> list[int]:
    return [int(size) for size in spatial(op.text("data_format"), op["X"].sizes)]


def _windows(op: BridgeOp) -> list[Window]:
    algorithm, pads = op.text("padding_algorithm"), op.integers("paddings")
    return windows(_image(op), op.integers("ksize"), op.integers("strides"), [1, 1], pads, algorithm)


def _after(window: Window, size: int, *, ceil: bool) -> int:
    """The padding after the image that the windows reach."""
    count = int(window.out(size, ceil))
    return max((count - 1) * window.stride + window.kernel - window.before - size, 0)


def _pooled(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    average = op.text("pooling_type") == "avg"
    if _whole_image(op):
        return b.lang.reduce(x, "ReduceMean" if average else "ReduceMax", [2, 3], True)
    if op.flag("adaptive"):
        (height, width), (high, wide) = _image(op), op.integers("ksize")
        return along_image(b, x, _bins(height, high), _bins(width, wide))
    ceil, (rows, columns) = op.flag("ceil_mode"), _windows(op)
    # With the padding that the windows reach, rounding up is rounding down.
    height, width = _image(op)
    pads = [rows.before, columns.before, _after(rows, height, ceil=ceil), _after(columns, width, ceil=ceil)]
    kernel, strides = op.integers("ksize"), op.integers("strides")
    if average:
        return b.lang.avgpool2d(x, kernel, strides, pads, count_include_pad=not op.flag("exclusive"))
    return b.lang.maxpool2d(x, kernel, strides, pads)


def _bins(size: int, bins: int) -> Array:
    """The matrix [size, bins] of averages over the bins of adaptive pooling."""
    matrix = np.zeros((size, bins), np.float32)
    for n in range(bins):
        start, end = n * size // bins, -(-(n + 1) * size // bins)
        matrix[start:end, n] = 1 / (end - start)
    return matrix
