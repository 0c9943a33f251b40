"""Poolings of images, and of any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes, Tensor
from lite.errors import CompileError
from lite.ir.types import Array, Dim, DType
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp


@converts("pool2d")
def pool2d(op: BridgeOp, ctx: Context) -> None:
    """MaxPool or AveragePool, their global forms, or products with matrices that average bins."""
    layout, b = op.text("data_format"), ctx.builder
    image = spatial(layout, op["X"].dims)
    x = ctx.input(op, "X")
    last = is_channel_last(layout)
    x = b.transpose(x, [0, 3, 1, 2]) if last else x
    is_max = op.text("pooling_type") == "max"
    if op.flag("global_pooling") and op.flag("adaptive"):
        raise CompileError("it is global and adaptive at once")
    if op.flag("global_pooling"):
        result = b.add("GlobalMaxPool" if is_max else "GlobalAveragePool", x)
    elif op.flag("adaptive") and not is_max:
        result = _adaptive_average(op, ctx, x, image)
    elif op.flag("adaptive"):
        raise CompileError("maxima of adaptive windows have no ONNX op")
    else:
        algorithm = op.text("padding_algorithm")
        found = windows(
            image, op.integers("ksize"), op.integers("strides"), (1, 1), op.integers("paddings"), algorithm
        )
        result = _windowed(op, ctx, x, found, image)
    ctx.output(op, b.transpose(result, [0, 2, 3, 1]) if last else result)


def _windowed(op: BridgeOp, ctx: Context, x: Tensor, found: Sequence[Window], image: Sequence[Dim]) -> Tensor:
    ceil, exclusive = op.flag("ceil_mode"), op.flag("exclusive")
    is_max = op.text("pooling_type") == "max"
    op_type = "MaxPool" if is_max else "AveragePool"
    sizes = [size for size in image if isinstance(size, int)]
    attributes: Attributes = {
        "kernel_shape": [window.kernel for window in found],
        "strides": [window.stride for window in found],
    }
    if len(sizes) < len(image):
        return ctx.builder.add(op_type, x, **attributes, **_of_unknown_size(found, ceil, exclusive, is_max))
    outs = [int(window.out(size, ceil)) for window, size in zip(found, sizes, strict=True)]
    # Ceil mode is padding: ONNX leaves windows out that lie in the padding, Paddle does not.
    after = [
        max((out - 1) * window.stride + window.kernel - size - window.before, window.after)
        for window, out, size in zip(found, outs, sizes, strict=True)
    ]
    for window, size, out, behind in zip(found, sizes, outs, after, strict=True):
        if (out - 1) * window.stride - window.before >= size:
            raise CompileError(f"the last window lies in the padding behind an image of {sizes}")
        if max(window.before, behind) >= window.kernel:
            raise CompileError(f"ONNX Runtime wants less padding than the window of {window.kernel}")
    attributes["pads"] = [window.before for window in found] + after
    if is_max:
        return ctx.builder.add(op_type, x, **attributes)
    result = ctx.builder.add(op_type, x, count_include_pad=int(not exclusive), **attributes)
    return result if exclusive else _as_counted(ctx, result, found, outs, sizes)


def _of_unknown_size(found: Sequence[Window], ceil: bool, exclusive: bool, is_max: bool) -> Attributes:
    attributes: Attributes = {"ceil_mode": int(ceil)}
    if any(window.same for window in found):
        attributes = {"auto_pad": "SAME_UPPER"}
    else:
        attributes["pads"] = [window.before for window in found] + [window.after for window in found]
    if not is_max:
        attributes["count_include_pad"] = int(not exclusive)
    padded = not is_max and not exclusive and any(window.before != window.after for window in found)
    uneven = ceil and (
        (not is_max and not exclusive)
        or any(window.stride > window.kernel - window.after for window in found)
    )
    if uneven or padded:
        raise CompileError("the sizes of the image must be known for such windows")
    return attributes


def _as_counted(
    ctx: Context, average: Tensor, found: Sequence[Window], outs: Sequence[int], sizes: Sequence[int]
) -> Tensor:
    """An average over whole windows as one over what Paddle counts: the image and what is padded in front."""
    counts = [_counts(window, out, size) for window, out, size in zip(found, outs, sizes, strict=True)]
    area = counts[0][:, None] * counts[1]
    whole = found[0].kernel * found[1].kernel
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
        raise CompileError(f"the sizes of the image must be known to average {outs} bins, got {op['X']}")
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
    """MaxPool with Indices, which count through the whole input; Mask counts within each image."""
    x, b = ctx.input(op, "X"), ctx.builder
    sizes = [size for size in op["X"].dims[2:] if isinstance(size, int)]
    ksize, strides, paddings = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    whole = op.flag("global_pooling")
    if len(sizes) < 2 and (whole or op.flag("adaptive")):
        raise CompileError(f"the sizes of the image must be known, got {op['X']}")
    if whole or op.flag("adaptive"):
        bins = [1, 1] if whole else ksize
        if any(size % count for size, count in zip(sizes, bins, strict=True)):
            raise CompileError(f"{bins} bins do not divide an image of {sizes}")
        ksize = strides = [size // count for size, count in zip(sizes, bins, strict=True)]
        paddings = [0, 0]
    pads = paddings * 2 if len(paddings) == 2 else [paddings[0], paddings[2], paddings[1], paddings[3]]
    if max(pads) >= min(ksize):
        raise CompileError(f"ONNX Runtime wants less padding than the window, got {pads} of {ksize}")
    best, places = b.add_all(
        "MaxPool", [x], [x.dtype, DType.INT64], kernel_shape=ksize, strides=strides, pads=pads
    )
    area = b.add("ReduceProd", b.cut(b.sizes(x), [2], [4], [0]), keepdims=0)
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Mask"):
        ctx.output(op, b.cast(b.add("Mod", places, area), DType.INT32), "Mask")


@converts("pool_nd")
def pool_nd(op: BridgeOp, ctx: Context) -> None:
    """MaxPool, AveragePool or LpPool."""
    kind = op.text("pooling_type")
    pads = op.integers("paddings")
    attributes: Attributes = {
        "kernel_shape": op.integers("ksize"),
        "strides": op.integers("strides"),
        "dilations": op.integers("dilations"),
        "ceil_mode": int(op.flag("ceil_mode")),
    }
    if op.text("padding_algorithm") == "SAME":
        found = windows(
            op["X"].dims[2:],
            op.integers("ksize"),
            op.integers("strides"),
            op.integers("dilations"),
            pads,
            "SAME",
        )
        if op["X"].is_static:
            attributes["pads"] = [w.before for w in found] + [w.after for w in found]
        else:
            attributes["auto_pad"] = "SAME_UPPER"
    elif op.text("padding_algorithm") == "EXPLICIT":
        half = len(pads) == op["X"].rank - 2
        attributes["pads"] = [*pads, *pads] if half else [*pads[::2], *pads[1::2]]
    x, b = ctx.input(op, "X"), ctx.builder
    if kind == "max":
        attributes["storage_order"] = int(op.flag("column_major"))
        kinds = [x.dtype, DType.INT64] if op.node.outputs.get("Indices") else [x.dtype]
        outputs = b.add_all("MaxPool", [x], kinds, **attributes)
        for slot, tensor in zip(("Out", "Indices"), outputs, strict=False):
            ctx.output(op, tensor, slot)
    elif kind == "avg":
        include = int(not op.flag("exclusive"))
        ctx.output(op, b.add("AveragePool", x, count_include_pad=include, **attributes), "Out")
    else:
        ctx.output(op, b.add("LpPool", x, p=op.integer("norm"), **attributes), "Out")


@converts("max_unpool")
def max_unpool(op: BridgeOp, ctx: Context) -> None:
    """MaxUnpool."""
    pads = op.integers("paddings")
    if op.get("Shape") is not None:
        raise CompileError("indices count through the plain result, in ONNX Runtime through one of Shape")
    b = ctx.builder
    result = b.add(
        "MaxUnpool",
        ctx.input(op, "X"),
        b.cast(ctx.input(op, "Indices"), DType.INT64),
        kernel_shape=op.integers("ksize"),
        strides=op.integers("strides"),
        pads=[*pads[::2], *pads[1::2]],
    )
    ctx.output(op, result)
