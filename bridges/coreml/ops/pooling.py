"""pool2d, max_pool2d_with_index → max_pool, avg_pool, reduce_mean, reduce_max, or products with matrices.

X float32[N, C, H, W], or channels last.  Averages that count otherwise than the operation are scaled; Mask is
not computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.conversion import Declined
from lite.emission.interpolation import bin_matrix
from lite.ir.types import Array
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp


def _pool2d(op: BridgeOp, ctx: Context) -> None:
    b, average = ctx.builder, op.text("pooling_type") == "avg"
    last = is_channel_last(op.text("data_format"))
    x, bins = b.channels_first(ctx.input(op, "X"), 4, last=last), op.integers("ksize")
    image = b.shape(x)[2:]
    if op.flag("global_pooling") and op.flag("adaptive"):
        raise Declined("it is global and adaptive at once, which Paddle reads as bins of one pixel")
    if op.flag("global_pooling") or (op.flag("adaptive") and average and bins == [1, 1]):
        result = b.add("reduce_mean" if average else "reduce_max", x=x, axes=[2, 3], keep_dims=True)
    elif op.flag("adaptive") and not average:
        raise Declined("it is an adaptive maximum, which Paddle takes of windows")
    elif op.flag("adaptive"):
        result = _binned(b, x, image, bins)
    else:
        strides, pads = op.integers("strides"), op.integers("paddings")
        image_windows = windows(image, bins, strides, [1, 1], pads, op.text("padding_algorithm"))
        result = _windowed(op, b, x, image, image_windows)
    ctx.output(op, b.channels_restored(result, 4, last=last))


def _windowed(
    op: BridgeOp, b: Builder, x: Tensor, image: Sequence[int], image_windows: list[Window]
) -> Tensor:
    """The image is padded first: MIL's own padding has limits of its own."""
    average = op.text("pooling_type") == "avg"
    pairs, counts = [], []
    for window, size in zip(image_windows, image, strict=True):
        out = int(window.out(size, op.flag("ceil_mode")))
        starts = np.arange(out) * window.stride - window.before
        if window.before < 0 or window.after < 0:
            raise Declined(f"paddings are {op.integers('paddings')}; MIL takes none below 0")
        if out < 1 or starts[-1] >= size or window.before >= window.kernel:
            raise Declined(f"a window of {window.kernel} lies outside of the image of {size}")
        pairs += [window.before, max(int(starts[-1]) + window.kernel - size, 0)]
        counts.append(_counted(starts, window, size, exclusive=op.flag("exclusive")))
    x = _padded(b, x, pairs, 0.0 if average else -math.inf)
    result = _pooled(b, x, image_windows, average=average)
    rows, columns = image_windows
    factor = rows.kernel * columns.kernel / (counts[0][:, None] * counts[1])
    if not average or (factor == 1).all():
        return result
    return b.add("mul", x=result, y=factor.astype(np.float32)[None, None])


def _padded(b: Builder, x: Tensor, pairs: Sequence[int], value: float) -> Tensor:
    if not any(pairs):
        return x
    return b.add("pad", x=x, pad=[0, 0, 0, 0, *pairs], mode="constant", constant_val=np.float32(value))


def _pooled(b: Builder, x: Tensor, image_windows: list[Window], *, average: bool) -> Tensor:
    arguments = {
        "kernel_sizes": [window.kernel for window in image_windows],
        "strides": [window.stride for window in image_windows],
        "pad_type": "valid",
    }
    return b.add("avg_pool" if average else "max_pool", x=x, **arguments)


def _counted(starts: Array, window: Window, size: int, *, exclusive: bool) -> Array:
    """How many elements each average counts along an axis: those of the image, or also of the padding."""
    low, high = (0, size) if exclusive else (-window.before, size + window.before)
    counts: Array = np.minimum(starts + window.kernel, high) - np.maximum(starts, low)
    return counts


def _binned(b: Builder, x: Tensor, image: Sequence[int], bins: Sequence[int]) -> Tensor:
    if all(size % count == 0 for size, count in zip(image, bins, strict=True)):
        kernel = [size // count for size, count in zip(image, bins, strict=True)]
        return b.add("avg_pool", x=x, kernel_sizes=kernel, strides=kernel, pad_type="valid")
    down, right = (bin_matrix(size, count) for size, count in zip(image, bins, strict=True))
    rows = b.add("matmul", x=down, y=x)
    return b.add("matmul", x=rows, y=np.ascontiguousarray(right.T))


def _max_pool2d_with_index(op: BridgeOp, ctx: Context) -> None:
    b, x, bins = ctx.builder, ctx.input(op, "X"), op.integers("ksize")
    image = b.shape(x)[2:]
    strides, pads = op.integers("strides"), op.integers("paddings")
    if op.flag("ceil_mode"):
        raise Declined("its windows round the size up (ceil_mode=true)")
    if op.flag("global_pooling"):
        bins = [1, 1]
    if op.flag("global_pooling") or op.flag("adaptive"):
        if any(size % count for size, count in zip(image, bins, strict=True)):
            raise Declined(f"an image of {list(image)} does not divide into {bins} bins")
        bins = strides = [size // count for size, count in zip(image, bins, strict=True)]
        pads = [0, 0]
    image_windows = windows(image, bins, strides, [1, 1], pads, "EXPLICIT")
    pairs = [pad for window in image_windows for pad in (window.before, window.after)]
    ctx.output(op, _pooled(b, _padded(b, x, pairs, -math.inf), image_windows, average=False), "Out")


register(__name__, {"max_pool2d_with_index": _max_pool2d_with_index, "pool2d": _pool2d})
