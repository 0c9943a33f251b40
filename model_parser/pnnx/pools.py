"""Windows of poolings: Paddle's `pool2d` where it means the same as torch, else `pool_nd`."""

from __future__ import annotations

import math

from lite.ir.program import AttrValue
from lite.ir.types import Dim
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import as_image, from_image, image_integers
from lite.model_parser.pnnx.value import Value, Var
from lite.ops.window import Window, windows


def axes_of(call: Call) -> int:
    """The number of spatial axes, from a type such as ``nn.MaxPool2d``."""
    return int(call.type[-2])


def pool(call: Call, x: Var, attrs: dict[str, AttrValue]) -> Var:
    """`pool2d`, or `pool_nd` for volumes, for dilated windows, and for some windows in ceil mode.

    In ceil mode torch drops a last window that begins after the input, and `pool2d` does not.
    """
    axes, writer = axes_of(call), call.writer
    x = as_image(writer, x, axes)
    paddings, over = _windows(call, x)
    attrs = {
        **attrs,
        "ksize": [window.kernel for window in over],
        "strides": [window.stride for window in over],
        "ceil_mode": call.flag("ceil_mode", False),
    }
    plain = axes < 3 and all(window.dilation == 1 for window in over)
    if attrs["ceil_mode"] and plain:
        plain = all(_begins_inside(w, size) for w, size in zip(over, writer.shape(x)[2:], strict=True))
    if plain:
        return from_image(writer, writer.unary("pool2d", x, {**attrs, "paddings": paddings}), axes)
    return from_image(writer, writer.unary("pool_nd", x, {**attrs, **_explicit(over)}), axes)


def maxima_and_indices(call: Call, x: Var) -> list[Value]:
    """The maxima by `pool_nd`, and their positions in the plane of a sample and channel, as int64.

    The op counts positions through the whole input.
    """
    axes, writer = axes_of(call), call.writer
    image = as_image(writer, x, axes)
    _, over = _windows(call, image)
    attrs: dict[str, AttrValue] = {
        "ksize": [window.kernel for window in over],
        "strides": [window.stride for window in over],
        "ceil_mode": call.flag("ceil_mode", False),
        **_explicit(over),
    }
    maxima, places = writer.emit("pool_nd", {"X": image}, attrs, {"Out": 1, "Indices": 1})
    plane: Value = 1
    for axis in range(axes):
        plane = arithmetic.binary(writer, "mul", plane, writer.size(x, axis - axes))
    inside = arithmetic.binary(writer, "remainder", places, plane)
    indices = arithmetic.as_var(writer, inside)
    return [from_image(writer, maxima, axes), from_image(writer, indices, axes)]


def window_size(call: Call) -> int:
    """The number of elements of a window."""
    return math.prod(call.integers("kernel_size", axes_of(call)))


def _windows(call: Call, image: Var) -> tuple[list[int], list[Window]]:
    """The padding of each spatial axis of the image, and the windows."""
    axes = axes_of(call)
    kernel = image_integers(call, "kernel_size", axes, 1)
    strides = image_integers(call, "stride" if call.has("stride") else "kernel_size", axes, 1)
    padding = image_integers(call, "padding", axes, 0)
    dilation = image_integers(call, "dilation", axes, 1)
    sizes = call.writer.shape(image)[2:]
    return padding, windows(sizes, kernel, strides, dilation, padding, "EXPLICIT")


def _explicit(over: list[Window]) -> dict[str, AttrValue]:
    return {
        "paddings": [side for window in over for side in (window.before, window.after)],
        "dilations": [window.dilation for window in over],
    }


def _begins_inside(window: Window, size: Dim) -> bool:
    """Whether the last window in ceil mode is sure to begin in the input or the padding before it."""
    count = window.out(size, ceil=True)
    if not isinstance(size, int) or not isinstance(count, int):
        return False
    return (count - 1) * window.stride < size + window.before
