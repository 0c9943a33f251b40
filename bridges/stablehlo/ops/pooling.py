"""pool2d, max_pool2d_with_index → reduce_window, reduce, or products with matrices that average bins.

Real numbers, channels first or last; Mask is not computed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.interpolation import bin_matrix
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ir.types import Array
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp


def _pool2d(op: BridgeOp, ctx: Context) -> None:
    b, x, average = ctx.builder, ctx.input(op, "X"), op.text("pooling_type") == "avg"
    axes, bins = (1, 2) if is_channel_last(op.text("data_format")) else (2, 3), op.integers("ksize")
    image = [x.shape[axis] for axis in axes]
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
    if op.flag("global_pooling") and op.flag("adaptive"):
        raise Declined("it is global and adaptive at once, which Paddle reads as bins of one pixel")
    if op.flag("global_pooling") or (op.flag("adaptive") and average and bins == [1, 1]):
        result = b.mean(x, axes, keep=True) if average else b.reduce("maximum", x, axes, keep=True)
    elif op.flag("adaptive") and not average:
        raise Declined("it is an adaptive maximum, which Paddle takes of windows")
    elif op.flag("adaptive"):
        result = x
        for axis, size, count in zip(axes, image, bins, strict=True):
            result = b.along(result, axis, bin_matrix(size, count).astype(x.dtype.numpy))
    else:
        strides, pads = op.integers("strides"), op.integers("paddings")
        image_windows = windows(image, bins, strides, [1, 1], pads, op.text("padding_algorithm"))
        result = _windowed(op, b, x, axes, image_windows)
    ctx.output(op, result)


def _windowed(
    op: BridgeOp, b: Builder, x: Tensor, axes: Sequence[int], image_windows: Sequence[Window]
) -> Tensor:
    average, pairs, counts = op.text("pooling_type") == "avg", {}, []
    for axis, window in zip(axes, image_windows, strict=True):
        size, out = x.shape[axis], int(window.out(x.shape[axis], op.flag("ceil_mode")))
        starts = np.arange(out) * window.stride - window.before
        if out < 1 or starts[-1] >= size or starts[0] + window.kernel <= 0:
            raise Declined(f"a window of {window.kernel} lies outside of the image of {size}")
        pairs[axis] = (window.before, int(starts[-1]) + window.kernel - size)
        count = _counted(starts, window, size, exclusive=op.flag("exclusive"))
        counts.append(count.reshape([-1 if n == axis else 1 for n in range(x.rank)]))
    name = "add" if average else "maximum"
    result = _pooled(b, name, x, dict(zip(axes, image_windows, strict=True)), pairs)
    if not average:
        return result
    divisor = np.multiply(*counts)
    if (divisor == divisor.flat[0]).all():
        return b.binary("divide", result, b.like(divisor.flat[0], x))
    return b.binary("divide", result, b.array(divisor.astype(x.dtype.numpy)))


def _pooled(
    b: Builder, name: str, x: Tensor, by_axis: dict[int, Window], pairs: dict[int, tuple[int, int]]
) -> Tensor:
    # reduce_window takes no padding below 0.
    x = b.pad(x, {axis: (min(low, 0), min(high, 0)) for axis, (low, high) in pairs.items()})
    return b.window(
        name,
        x,
        [by_axis[axis].kernel if axis in by_axis else 1 for axis in range(x.rank)],
        [by_axis[axis].stride if axis in by_axis else 1 for axis in range(x.rank)],
        [(max(low, 0), max(high, 0)) for low, high in (pairs.get(axis, (0, 0)) for axis in range(x.rank))],
    )


def _counted(starts: Array, window: Window, size: int, *, exclusive: bool) -> Array:
    """How many elements each average counts along an axis: those of the image, or also of the padding."""
    low, high = (0, size) if exclusive else (-window.before, size + window.before)
    counts: Array = np.minimum(starts + window.kernel, high) - np.maximum(starts, low)
    return counts


def _max_pool2d_with_index(op: BridgeOp, ctx: Context) -> None:
    b, x, bins = ctx.builder, ctx.input(op, "X"), op.integers("ksize")
    image, strides, pads = x.shape[2:], op.integers("strides"), op.integers("paddings")
    if op.flag("ceil_mode"):
        raise Declined("its windows round the size up (ceil_mode=true)")
    if op.flag("global_pooling"):
        bins = [1, 1]
    if op.flag("global_pooling") or op.flag("adaptive"):
        if any(size % count for size, count in zip(image, bins, strict=True)):
            raise Declined(f"an image of {list(image)} does not divide into {bins} bins")
        bins = strides = [size // count for size, count in zip(image, bins, strict=True)]
        pads = [0, 0]
    by_axis = dict(zip((2, 3), windows(image, bins, strides, [1, 1], pads, "EXPLICIT"), strict=True))
    pairs = {axis: (window.before, window.after) for axis, window in by_axis.items()}
    ctx.output(op, _pooled(b, "maximum", x, by_axis, pairs), "Out")


register(__name__, {"max_pool2d_with_index": _max_pool2d_with_index, "pool2d": _pool2d})
