"""Poolings of images, averages and maxima: of windows, of bins, and of the whole image."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.layout import channels_back, channels_first
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import FLOAT, refused
from lite.ir.types import Dim, DType
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "pool2d")
class Pool2d:
    """AvgPool, MaxPool, AdaptiveAvgPool or a reduction over the image."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT)
        if reason is not None or _whole_image(op):
            return reason
        if op.flag("adaptive"):
            if op.flag("global_pooling"):
                return "it is global and adaptive at once: a bin for each pixel"
            return None if op.text("pooling_type") == "avg" else "adaptive maxima of windows, not of bins"
        return _why_not_windows(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, last = ctx.builder, is_channel_last(op.text("data_format"))
        x = channels_first(b, ctx.input(op, "X"), 4, last=last)
        ctx.output(op, channels_back(b, _pooled(b, op, x), 4, last=last))


def _whole_image(op: BridgeOp) -> bool:
    if op.flag("global_pooling"):
        return not op.flag("adaptive")
    return op.flag("adaptive") and op.text("pooling_type") == "avg" and op.integers("ksize") == [1, 1]


def _why_not_windows(op: BridgeOp) -> str | None:
    pads = op.integers("paddings")
    if min(pads) < 0:
        return f"paddings are {pads}; OpenVINO takes none below 0"
    counts = op.text("pooling_type") == "avg" and not op.flag("exclusive")
    if op.text("padding_algorithm") == "SAME" and counts:
        return "averages over padding SAME that count it"
    image = spatial(op.text("data_format"), op["X"].dims)
    for window, size in zip(_windows(op), image, strict=True):
        ceil = op.flag("ceil_mode")
        last = _last_start(window, size, ceil=ceil)
        if last >= 0 or max(window.before, window.after) >= window.kernel:
            return f"a window of {window.kernel} may lie outside of the image of {size}"
        if counts and last + window.kernel > window.before:
            return (
                f"a window of {window.kernel} may reach behind the padding of {window.before}, which counts"
            )
    return None


def _last_start(window: Window, size: Dim, *, ceil: bool) -> int:
    """Where the last window starts, counted from the image's end; at most, where its size is not known."""
    if isinstance(size, int):
        return (int(window.out(size, ceil)) - 1) * window.stride - window.before - size
    return window.after - window.kernel + (window.stride - 1 if ceil else 0)


def _windows(op: BridgeOp) -> list[Window]:
    image = spatial(op.text("data_format"), op["X"].dims)
    algorithm = op.text("padding_algorithm")
    return windows(
        image, op.integers("ksize"), op.integers("strides"), [1, 1], op.integers("paddings"), algorithm
    )


def _pooled(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    average = op.text("pooling_type") == "avg"
    if _whole_image(op):
        reduce = b.op.reduce_mean if average else b.op.reduce_max
        return reduce(x, b.ints([2, 3]), keep_dims=True)
    ksize, strides, pads = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    if op.flag("adaptive"):
        return b.op.adaptive_avg_pool(x, b.ints(ksize))
    step = len(pads) // 2
    before, after = pads[::step], pads[step - 1 :: step]
    auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
    rounding = "ceil" if op.flag("ceil_mode") else "floor"
    if average:
        return b.op.avg_pool(x, strides, before, after, ksize, op.flag("exclusive"), rounding, auto)
    return b.op.max_pool(x, strides, [1, 1], before, after, ksize, rounding, auto).output(0)


@bridge("openvino", "max_pool2d_with_index")
class MaxPool2dWithIndex:
    """MaxPool or AdaptiveMaxPool; the mask counts the pixels of a channel."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT, outputs=("Mask",))
        if reason is None and op.flag("global_pooling") and not op["X"].is_static:
            return f"global, and the image's size is not known: X is {op['X']}"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        ksize, strides, pads = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
        if op.flag("global_pooling"):
            node = b.op.adaptive_max_pool(x, b.ints([1, 1]), "i32")
        elif op.flag("adaptive"):
            node = b.op.adaptive_max_pool(x, b.ints(ksize), "i32")
        else:
            step = len(pads) // 2
            before, after = pads[::step], pads[step - 1 :: step]
            node = b.op.max_pool(x, strides, [1, 1], before, after, ksize, index_element_type="i32", axis=2)
        ctx.output(op, node.output(0), "Out")
        if op.writes("Mask"):
            ctx.output(op, b.cast(node.output(1), DType.INT32), "Mask")
