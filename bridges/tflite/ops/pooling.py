"""pool2d → MAX_POOL_2D, AVERAGE_POOL_2D, MEAN, REDUCE_MAX, or products with matrices that average bins.

X float32[N, C, H, W], or channels last.  Averages that count otherwise than the operator are scaled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.interpolation import bin_matrix
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Order, Tensor, channels_last
from lite.emission.tflite.graph import Stored
from lite.emission.tflite.schema import VALID
from lite.ir.types import Array
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp


def _pool2d(op: BridgeOp, ctx: Context) -> None:
    b, x, average = ctx.builder, ctx.input(op, "X"), op.text("pooling_type") == "avg"
    last = is_channel_last(op.text("data_format"))
    order, bins = channels_last(4, last=last), op.integers("ksize")
    image = [x.shape[axis] for axis in order[1:3]]
    if op.flag("global_pooling") and op.flag("adaptive"):
        raise Declined("it is global and adaptive at once, which Paddle reads as bins of one pixel")
    if op.flag("global_pooling") or (op.flag("adaptive") and average and bins == [1, 1]):
        ctx.output(op, b.reduce("MEAN" if average else "REDUCE_MAX", x, order[1:3], keep=True))
    elif op.flag("adaptive") and not average:
        raise Declined(
            "it is an adaptive maximum, which Paddle takes of windows and TFLite has no operator for"
        )
    elif op.flag("adaptive"):
        ctx.output(op, _binned(b, x, order, image, bins))
    else:
        strides, pads = op.integers("strides"), op.integers("paddings")
        image_windows = windows(image, bins, strides, [1, 1], pads, op.text("padding_algorithm"))
        ctx.output(op, _windowed(op, b, x, order, image, image_windows))


def _pooled(
    b: Builder,
    code: str,
    stored: Stored,
    outs: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
) -> Stored:
    """The operator on an image with channels last that is padded already."""
    return b.add(
        code,
        [stored],
        (stored.shape[0], *outs, stored.shape[3]),
        padding=VALID,
        stride_w=strides[1],
        stride_h=strides[0],
        filter_w=kernel[1],
        filter_h=kernel[0],
    )


def _windowed(
    op: BridgeOp, b: Builder, x: Tensor, order: Order, image: Sequence[int], image_windows: list[Window]
) -> Tensor:
    average, exclusive = op.text("pooling_type") == "avg", op.flag("exclusive")
    outs = [
        int(window.out(size, op.flag("ceil_mode"))) for window, size in zip(image_windows, image, strict=True)
    ]
    pairs, counts = {}, []
    for axis, window, size, out in zip(order[1:3], image_windows, image, outs, strict=True):
        starts = np.arange(out) * window.stride - window.before
        if window.before < 0 or window.after < 0:
            raise Declined(f"paddings are {op.integers('paddings')}; TFLite takes none below 0")
        if out < 1 or starts[-1] >= size or window.before >= window.kernel:
            raise Declined(f"a window of {window.kernel} lies outside of the image of {size}")
        pairs[axis] = (window.before, max(int(starts[-1]) + window.kernel - size, 0))
        counts.append(_counted(starts, window, size, exclusive=exclusive))
    x = b.pad(b.wrap(b.form(x, order), order), pairs, 0.0 if average else -math.inf)
    rows, columns = image_windows
    stored = b.form(x, order)
    result = b.wrap(
        _pooled(
            b,
            "AVERAGE_POOL_2D" if average else "MAX_POOL_2D",
            stored,
            outs,
            (rows.kernel, columns.kernel),
            (rows.stride, columns.stride),
        ),
        order,
    )
    factor = rows.kernel * columns.kernel / (counts[0][:, None] * counts[1])
    if not average or (factor == 1).all():
        return result
    shape = [1, 1, 1, 1]
    shape[order[1]], shape[order[2]] = outs
    return b.binary("MUL", result, b.array(factor.astype(np.float32).reshape(shape)))


def _counted(starts: Array, window: Window, size: int, *, exclusive: bool) -> Array:
    """How many elements each average counts along an axis: those of the image, or also of the padding."""
    low, high = (0, size) if exclusive else (-window.before, size + window.before)
    counts: Array = np.minimum(starts + window.kernel, high) - np.maximum(starts, low)
    return counts


def _binned(b: Builder, x: Tensor, order: Order, image: Sequence[int], bins: Sequence[int]) -> Tensor:
    if all(size % count == 0 for size, count in zip(image, bins, strict=True)):
        rows, columns = (size // count for size, count in zip(image, bins, strict=True))
        stored = b.form(x, order)
        return b.wrap(_pooled(b, "AVERAGE_POOL_2D", stored, bins, (rows, columns), (rows, columns)), order)
    first = b.transpose(x, (order[0], order[3], order[1], order[2]))
    down, right = (bin_matrix(size, count) for size, count in zip(image, bins, strict=True))
    rows_averaged = b.matmul(b.array(np.broadcast_to(down, (*first.shape[:2], *down.shape))), first)
    result = b.matmul(rows_averaged, b.array(np.broadcast_to(right.T, (*first.shape[:2], *right.T.shape))))
    positions = (order[0], order[3], order[1], order[2])
    return b.transpose(result, [positions.index(axis) for axis in range(4)])


def _max_pool2d_with_index(op: BridgeOp, ctx: Context) -> None:
    """Without Mask, which is declined as an output that is not computed."""
    b, x, bins = ctx.builder, ctx.input(op, "X"), op.integers("ksize")
    order, image = channels_last(4), list(x.shape[2:])
    strides, pads = op.integers("strides"), op.integers("paddings")
    if op.flag("ceil_mode"):
        raise Declined("its windows round the size up (ceil_mode=true)")
    if op.flag("global_pooling"):
        bins = [1, 1]
    if op.flag("global_pooling") or op.flag("adaptive"):
        if any(size % count for size, count in zip(image, bins, strict=True)):
            raise Declined(f"an image of {image} does not divide into {bins} bins")
        bins = strides = [size // count for size, count in zip(image, bins, strict=True)]
        pads = [0, 0]
    pairs = windows(image, bins, strides, [1, 1], pads, "EXPLICIT")
    x = b.pad(
        b.wrap(b.form(x, order), order),
        {axis: (window.before, window.after) for axis, window in zip((2, 3), pairs, strict=True)},
        -math.inf,
    )
    stored = b.form(x, order)
    outs = [
        (size - window.kernel) // window.stride + 1
        for size, window in zip(stored.shape[1:3], pairs, strict=True)
    ]
    result = _pooled(b, "MAX_POOL_2D", stored, outs, bins, strides)
    ctx.output(op, b.wrap(result, order), "Out")


register(
    __name__,
    {"pool2d": _pool2d, "max_pool2d_with_index": _max_pool2d_with_index},
)
