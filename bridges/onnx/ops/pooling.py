"""pool2d, max_pool2d_with_index → MaxPool, AveragePool, GlobalAveragePool, … (ONNX opset 21).

X float32[N, C, H, W], pool2d also with channels last.  Paddings are smaller than the window; adaptive maxima
of pool2d are declined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.ir.types import Array, Dim, DType
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp


@converts("pool2d")
def pool2d(op: BridgeOp, ctx: Context) -> None:
    """pool2d → MaxPool, AveragePool, their global forms, or MatMul with matrices that average bins."""
    layout, b = op.text("data_format"), ctx.builder
    image = spatial(layout, op["X"].dims)
    x = ctx.input(op, "X")
    last = is_channel_last(layout)
    x = b.channels_first(x, 4, last=last)
    is_max = op.text("pooling_type") == "max"
    if op.flag("global_pooling") and op.flag("adaptive"):
        raise Declined("it is global and adaptive at once, which Paddle reads as bins of one pixel")
    if op.flag("global_pooling"):
        result = b.add("GlobalMaxPool" if is_max else "GlobalAveragePool", x)
    elif op.flag("adaptive") and not is_max:
        result = _adaptive_average(op, ctx, x, image)
    elif op.flag("adaptive"):
        raise Declined("it is an adaptive maximum, which ONNX has no op for")
    else:
        algorithm = op.text("padding_algorithm")
        image_windows = windows(
            image, op.integers("ksize"), op.integers("strides"), (1, 1), op.integers("paddings"), algorithm
        )
        result = _windowed(op, ctx, x, image_windows, image)
    ctx.output(op, b.channels_restored(result, 4, last=last))


def _windowed(
    op: BridgeOp, ctx: Context, x: Tensor, image_windows: Sequence[Window], image: Sequence[Dim]
) -> Tensor:
    ceil, exclusive = op.flag("ceil_mode"), op.flag("exclusive")
    is_max = op.text("pooling_type") == "max"
    op_type = "MaxPool" if is_max else "AveragePool"
    sizes = [size for size in image if isinstance(size, int)]
    attributes: Attributes = {
        "kernel_shape": [window.kernel for window in image_windows],
        "strides": [window.stride for window in image_windows],
    }
    if len(sizes) < len(image):
        return ctx.builder.add(
            op_type, x, **attributes, **_for_unknown_size(image_windows, ceil, exclusive, is_max)
        )
    outs = [int(window.out(size, ceil)) for window, size in zip(image_windows, sizes, strict=True)]
    # Padding instead of ceil_mode: ONNX drops windows that lie in the padding, Paddle does not.
    after = [
        max((out - 1) * window.stride + window.kernel - size - window.before, window.after)
        for window, out, size in zip(image_windows, outs, sizes, strict=True)
    ]
    for window, size, out, pad in zip(image_windows, sizes, outs, after, strict=True):
        if (out - 1) * window.stride - window.before >= size:
            raise Declined(f"the last window lies in the padding after an image of {sizes}")
        if max(window.before, pad) >= window.kernel:
            raise Declined(f"pads are {(window.before, pad)}; ONNX Runtime takes less than {window.kernel}")
    attributes["pads"] = [window.before for window in image_windows] + after
    if is_max:
        return ctx.builder.add(op_type, x, **attributes)
    result = ctx.builder.add(op_type, x, count_include_pad=int(not exclusive), **attributes)
    return result if exclusive else _as_counted(ctx, result, image_windows, outs, sizes)


def _for_unknown_size(
    image_windows: Sequence[Window], ceil: bool, exclusive: bool, is_max: bool
) -> Attributes:
    attributes: Attributes = {"ceil_mode": int(ceil)}
    if any(window.same for window in image_windows):
        attributes = {"auto_pad": "SAME_UPPER"}
    else:
        attributes["pads"] = [window.before for window in image_windows] + [
            window.after for window in image_windows
        ]
    if not is_max:
        attributes["count_include_pad"] = int(not exclusive)
    padded = not is_max and not exclusive and any(window.before != window.after for window in image_windows)
    partial = ceil and (
        (not is_max and not exclusive)
        or any(window.stride > window.kernel - window.after for window in image_windows)
    )
    if partial or padded:
        raise Declined("the sizes of the image must be known for these windows")
    return attributes


def _as_counted(
    ctx: Context, average: Tensor, image_windows: Sequence[Window], outs: Sequence[int], sizes: Sequence[int]
) -> Tensor:
    """An average over whole windows, scaled to Paddle's count: the image and the padding before it."""
    counts = [
        _counts(window, out, size) for window, out, size in zip(image_windows, outs, sizes, strict=True)
    ]
    area = counts[0][:, None] * counts[1]
    whole = image_windows[0].kernel * image_windows[1].kernel
    if (area == whole).all():
        return average
    return ctx.builder.add("Mul", average, ctx.builder.array((whole / area).astype(average.dtype.numpy)))


def _counts(window: Window, out: int, size: int) -> Array:
    starts = np.arange(out) * window.stride - window.before
    return np.asarray(np.minimum(starts + window.kernel, size + window.before) - starts)


def _adaptive_average(op: BridgeOp, ctx: Context, x: Tensor, image: Sequence[Dim]) -> Tensor:
    outs, b = op.integers("ksize"), ctx.builder
    if outs == [1, 1]:
        return b.add("GlobalAveragePool", x)
    sizes = [size for size in image if isinstance(size, int)]
    if len(sizes) < len(image):
        raise Declined(f"the sizes of the image must be known to average {outs} bins, got {op['X']}")
    if all(size % out == 0 for size, out in zip(sizes, outs, strict=True)):
        kernel = [size // out for size, out in zip(sizes, outs, strict=True)]
        return b.add("AveragePool", x, kernel_shape=kernel, strides=kernel)
    down, right = (_bins(size, out).astype(x.dtype.numpy) for size, out in zip(sizes, outs, strict=True))
    rows = b.add("MatMul", b.array(down), x, dtype=x.dtype)
    return b.add("MatMul", rows, b.array(np.array(right.T)))


def _bins(size: int, out: int) -> Array:
    """The matrix that averages bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``."""
    matrix = np.zeros((out, size))
    for row in range(out):
        start, stop = row * size // out, -(-(row + 1) * size // out)
        matrix[row, start:stop] = 1 / (stop - start)
    return matrix


@converts("max_pool2d_with_index")
def max_pool2d_with_index(op: BridgeOp, ctx: Context) -> None:
    """max_pool2d_with_index → MaxPool; Indices count in the whole input, Mask in each channel."""
    x, b = ctx.input(op, "X"), ctx.builder
    sizes = [size for size in op["X"].dims[2:] if isinstance(size, int)]
    ksize, strides, paddings = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    is_global = op.flag("global_pooling")
    if op.flag("ceil_mode"):
        raise Declined("its windows round the size up (ceil_mode=true)")
    if len(sizes) < 2 and (is_global or op.flag("adaptive")):
        raise Declined(f"the sizes of the image must be known, got {op['X']}")
    if is_global or op.flag("adaptive"):
        bins = [1, 1] if is_global else ksize
        if any(size % count for size, count in zip(sizes, bins, strict=True)):
            raise Declined(f"an image of {sizes} does not divide into {bins} bins")
        ksize = strides = [size // count for size, count in zip(sizes, bins, strict=True)]
        paddings = [0, 0]
    pads = paddings * 2 if len(paddings) == 2 else [paddings[0], paddings[2], paddings[1], paddings[3]]
    if max(pads) >= min(ksize):
        raise Declined(f"paddings are {pads}; ONNX Runtime takes less than the window of {ksize}")
    best, indices = b.add_all(
        "MaxPool", [x], [x.dtype, DType.INT64], kernel_shape=ksize, strides=strides, pads=pads
    )
    area = b.add("ReduceProd", b.slice(b.sizes(x), [2], [4], [0]), keepdims=0)
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Mask"):
        ctx.output(op, b.cast(b.add("Mod", indices, area), DType.INT32), "Mask")
