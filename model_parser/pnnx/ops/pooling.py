"""Poolings: Paddle's `pool2d` where it means the same, else `pool_nd`."""

from __future__ import annotations

import math

from lite.ir.program import AttrValue
from lite.ir.types import Dim
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import as_image, from_image, image_integers
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.ops.window import Window, windows


@pnnx_op("nn.MaxPool1d", "nn.MaxPool2d", "nn.MaxPool3d", "F.max_pool1d", "F.max_pool2d", "F.max_pool3d")
def max_pool(call: Call) -> Value:
    """`pool2d` or `pool_nd`."""
    if call.flag("return_indices", False):
        raise call.error("return_indices is not supported")
    return _pool(call, {"pooling_type": "max"})


@pnnx_op("nn.AvgPool1d", "nn.AvgPool2d", "nn.AvgPool3d", "F.avg_pool1d", "F.avg_pool2d", "F.avg_pool3d")
def average_pool(call: Call) -> Value:
    """`pool2d` or `pool_nd`; ``divisor_override`` becomes a factor."""
    if not call.has("divisor_override"):
        exclusive = not call.flag("count_include_pad", True)
        return _pool(call, {"pooling_type": "avg", "exclusive": exclusive})
    divisor = call.integer("divisor_override")
    if call.flag("ceil_mode", False) or divisor == 0:
        raise call.error(f"divisor_override={divisor} with ceil_mode or of 0 is not supported")
    pooled = _pool(call, {"pooling_type": "avg", "exclusive": False})
    window = math.prod(call.integers("kernel_size", _axes(call)))
    return call.writer.unary("scale", pooled, {"scale": window / divisor})


@pnnx_op("nn.AdaptiveAvgPool1d", "nn.AdaptiveAvgPool2d", "F.adaptive_avg_pool1d", "F.adaptive_avg_pool2d")
def adaptive_average(call: Call) -> Value:
    """Adaptive `pool2d`."""
    axes = 1 if "1d" in call.type else 2
    x = as_image(call.writer, call.image(axes), axes)
    attrs: dict[str, AttrValue] = {
        "pooling_type": "avg",
        "adaptive": True,
        "ksize": _bins(call, x, axes),
    }
    return from_image(call.writer, call.writer.unary("pool2d", x, attrs), axes)


@pnnx_op("nn.AdaptiveMaxPool1d", "nn.AdaptiveMaxPool2d", "F.adaptive_max_pool1d", "F.adaptive_max_pool2d")
def adaptive_maximum(call: Call) -> Value:
    """Adaptive `max_pool2d_with_index`, whose bins are those of torch."""
    if call.flag("return_indices", False):
        raise call.error("return_indices is not supported")
    axes = 1 if "1d" in call.type else 2
    x = as_image(call.writer, call.image(axes), axes)
    pooled, _ = call.writer.emit(
        "max_pool2d_with_index",
        {"X": x},
        {"adaptive": True, "ksize": _bins(call, x, axes)},
        {"Out": 1, "Mask": 1},
    )
    return from_image(call.writer, pooled, axes)


def _axes(call: Call) -> int:
    return int(call.type[-2])


def _pool(call: Call, attrs: dict[str, AttrValue]) -> Var:
    """`pool2d`, or `pool_nd` for volumes, for dilated windows, and for some windows in ceil mode.

    In ceil mode torch drops a last window that begins after the input, and `pool2d` does not.
    """
    axes, writer = _axes(call), call.writer
    x = as_image(writer, call.image(axes), axes)
    kernel = image_integers(call, "kernel_size", axes, 1)
    strides = image_integers(call, "stride" if call.has("stride") else "kernel_size", axes, 1)
    padding = image_integers(call, "padding", axes, 0)
    dilation = image_integers(call, "dilation", axes, 1)
    ceil = call.flag("ceil_mode", False)
    attrs = {**attrs, "ksize": kernel, "strides": strides, "ceil_mode": ceil}
    plain = axes < 3 and all(step == 1 for step in dilation)
    spans = windows(writer.shape(x)[2:], kernel, strides, dilation, padding, "EXPLICIT")
    if ceil and plain:
        plain = all(_begins_inside(w, size) for w, size in zip(spans, writer.shape(x)[2:], strict=True))
    if plain:
        return from_image(writer, writer.unary("pool2d", x, {**attrs, "paddings": padding}), axes)
    attrs |= {"paddings": [side for pad in padding for side in (pad, pad)], "dilations": dilation}
    return from_image(writer, writer.unary("pool_nd", x, attrs), axes)


def _begins_inside(window: Window, size: Dim) -> bool:
    """Whether the last window in ceil mode is sure to begin in the input or the padding before it."""
    count = window.out(size, ceil=True)
    if not isinstance(size, int) or not isinstance(count, int):
        return False
    return (count - 1) * window.stride < size + window.before


def _bins(call: Call, x: Var, axes: int) -> list[int]:
    """The bins along each axis; None keeps the size of the axis, which must be fixed."""
    items = call.items("output_size")
    items = items * axes if len(items) == 1 else items
    sizes = call.writer.shape(x)[-axes:]
    bins = [size if item in (None, "None") else item for item, size in zip(items, sizes, strict=False)]
    numbers = [int(size) for size in bins if isinstance(size, int)]
    if len(numbers) != axes:
        raise call.error(f"parameter output_size: expected {axes} fixed sizes, got {bins}")
    return [1, *numbers] if axes == 1 else numbers
