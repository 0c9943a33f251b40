"""Poolings."""

from __future__ import annotations

import math

from lite.ir.program import AttrValue
from lite.ir.types import Dim
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import as_image, from_image
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.ops.window import Window, windows


@pnnx_op("nn.MaxPool1d", "nn.MaxPool2d", "nn.MaxPool3d", "F.max_pool1d", "F.max_pool2d", "F.max_pool3d")
def max_pool(call: Call) -> Value:
    """pool2d or pool_nd."""
    if call.flag("return_indices", False):
        raise call.error("return_indices is not supported")
    return _pool(call, {"pooling_type": "max"})


@pnnx_op("nn.AvgPool1d", "nn.AvgPool2d", "nn.AvgPool3d", "F.avg_pool1d", "F.avg_pool2d", "F.avg_pool3d")
def average_pool(call: Call) -> Value:
    """pool2d or pool_nd; another divisor becomes a factor."""
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
    """pool2d of as many bins."""
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
    """max_pool2d_with_index, whose bins are torch's."""
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
    """pool2d, except for windows that it does not know: with gaps, or over volumes.

    In ceil mode, torch drops a last window that begins behind the input; where one would, it is
    pool_nd, too.
    """
    axes, writer = _axes(call), call.writer
    x = as_image(writer, call.image(axes), axes)
    kernel = _image_list(call, "kernel_size", axes, 1)
    strides = _image_list(call, "stride" if call.has("stride") else "kernel_size", axes, 1)
    padding = _image_list(call, "padding", axes, 0)
    dilation = _image_list(call, "dilation", axes, 1)
    ceil = call.flag("ceil_mode", False)
    attrs = {**attrs, "ksize": kernel, "strides": strides, "ceil_mode": ceil}
    plain = axes < 3 and all(step == 1 for step in dilation)
    found = windows(writer.shape(x)[2:], kernel, strides, dilation, padding, "EXPLICIT")
    if ceil and plain:
        plain = all(_begins_inside(w, size) for w, size in zip(found, writer.shape(x)[2:], strict=True))
    if plain:
        return from_image(writer, writer.unary("pool2d", x, {**attrs, "paddings": padding}), axes)
    attrs |= {"paddings": [side for pad in padding for side in (pad, pad)], "dilations": dilation}
    return from_image(writer, writer.unary("pool_nd", x, attrs), axes)


def _begins_inside(window: Window, size: Dim) -> bool:
    """Whether the last window in ceil mode is known to begin in the input or the padding before it."""
    count = window.out(size, ceil=True)
    if not isinstance(size, int) or not isinstance(count, int):
        return False
    return (count - 1) * window.stride < size + window.before


def _image_list(call: Call, name: str, axes: int, filling: int) -> list[int]:
    numbers = call.integers(name, axes, [filling])
    return [filling, *numbers] if axes == 1 else numbers


def _bins(call: Call, x: Var, axes: int) -> list[int]:
    """Bins along each axis; None keeps a size, which must be fixed then."""
    items = call.items("output_size")
    items = items * axes if len(items) == 1 else items
    sizes = call.writer.shape(x)[-axes:]
    found = [size if item in (None, "None") else item for item, size in zip(items, sizes, strict=False)]
    numbers = [int(size) for size in found if isinstance(size, int)]
    if len(numbers) != axes:
        raise call.error(f"parameter output_size: expected {axes} fixed sizes, got {found}")
    return [1, *numbers] if axes == 1 else numbers
