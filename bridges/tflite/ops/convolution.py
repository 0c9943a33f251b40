"""conv2d → CONV_2D, DEPTHWISE_CONV_2D; conv2d_transpose → TRANSPOSE_CONV.

Input float32[N, C, H, W], or channels last.  Padding that is not TFLite's SAME is a PAD before it.  A
transposed convolution of whole windows is cut to its padding, and its groups become one operator each.
"""

from __future__ import annotations

import numpy as np

from lite.bridges.tflite.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor, channels_last
from lite.emission.tflite.graph import Option, Stored
from lite.emission.tflite.schema import SAME, VALID
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp

_MOST_GROUPS = 16
"""Of a transposed convolution: each group is an operator."""

_OHWI = (0, 2, 3, 1)
_IHWO = (1, 2, 3, 0)


def spatial_windows(op: BridgeOp, image: tuple[int, ...]) -> list[Window]:
    """The windows over an image of these sizes; declines negative padding."""
    kernel = sizes(op["Filter"])[2:]
    strides, dilations, pads = op.integers("strides"), op.integers("dilations"), op.integers("paddings")
    if min(pads) < 0:
        raise Declined(f"paddings are {pads}; TFLite takes none below 0")
    return windows(image, kernel, strides, dilations, pads, op.text("padding_algorithm"))


def is_same(window: Window, size: int) -> bool:
    """Whether the padding along an axis is that of TFLite's SAME."""
    out = -(-size // window.stride)
    total = max((out - 1) * window.stride + window.extent - size, 0)
    return (window.before, window.after) == (total // 2, total - total // 2)


def _last(op: BridgeOp) -> bool:
    return is_channel_last(op.text("data_format"))


def _image(op: BridgeOp, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[1:-1] if _last(op) else shape[2:]


def _conv(op: BridgeOp, ctx: Context) -> None:
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "Filter")
    if not op["Filter"].is_static:
        raise Declined(f"Filter is {op['Filter']}: its sizes must be known")
    order = channels_last(4, last=_last(op))
    image_windows = spatial_windows(op, _image(op, x.shape))
    rows, columns = image_windows
    channels, groups, count = x.shape[order[3]], op.integer("groups"), weight.shape[0]
    padding = SAME if all(map(is_same, image_windows, _image(op, x.shape))) else VALID
    if padding == VALID:
        axes = order[1:3]
        x = b.pad(
            b.wrap(b.form(x, order), order),
            {axis: (window.before, window.after) for axis, window in zip(axes, image_windows, strict=True)},
        )
    stored = b.form(x, order)
    outs = [
        -(-size // window.stride) if padding == SAME else (size - window.extent) // window.stride + 1
        for size, window in zip(stored.shape[1:3], image_windows, strict=True)
    ]
    depthwise = groups == channels and groups > 1
    options: dict[str, Option] = {
        "padding": padding,
        "stride_w": columns.stride,
        "stride_h": rows.stride,
        "dilation_w": columns.dilation,
        "dilation_h": rows.dilation,
    }
    if depthwise:
        options["multiplier"] = count // channels
    result = b.operator(
        "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D",
        [stored, b.form(weight, _IHWO if depthwise else _OHWI), _bias(op, ctx, count)],
        (stored.shape[0], *outs, count),
        stored.dtype,
        options,
    )
    _finish(op, ctx, b.wrap(result, order))


def _bias(op: BridgeOp, ctx: Context, count: int) -> Stored:
    bias, b = ctx.optional(op, "Bias"), ctx.builder
    return b.stored_array(np.zeros(count, np.float32)) if bias is None else b.form(b.reshape(bias, (count,)))


def _finish(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    """Residual, activation, scale and shift, which only fused convolutions have."""
    b, last = ctx.builder, _last(op)
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        result = b.binary("ADD", result, residual)
    if "activation" in SCHEMAS[op.op].attrs:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    for code, slot in (("MUL", "PostScale"), ("ADD", "PostShift")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            count = int(np.prod(vector.shape))
            result = b.binary(code, result, b.reshape(vector, (count,) if last else (count, 1, 1)))
    ctx.output(op, result)


def _transposed(op: BridgeOp, ctx: Context) -> None:
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "Filter")
    groups, order = op.integer("groups"), channels_last(4, last=_last(op))
    if not op["Filter"].is_static:
        raise Declined(f"Filter is {op['Filter']}: its sizes must be known")
    if op.node.inputs.get("OutputSize") and op.values("OutputSize") is None:
        raise Declined("OutputSize is a tensor whose numbers are not known")
    if groups > _MOST_GROUPS:
        raise Declined(f"groups is {groups}; each becomes an operator, at most {_MOST_GROUPS}")
    image_windows = spatial_windows(op, _image(op, x.shape))
    if any(window.dilation != 1 for window in image_windows):
        raise Declined(f"dilations are {op.integers('dilations')}; TFLite's TRANSPOSE_CONV has none")
    wanted = _image(op, sizes(op.output()))
    channel = order[3]
    size, rows = x.shape[channel] // groups, weight.shape[0] // groups
    parts = []
    for group in range(groups):
        part = b.slice(x, {channel: group * size}, {channel: size})
        own = b.slice_constant(weight, group * rows, rows)
        parts.append(_whole(b, part, own, image_windows, order))
    result = _cut(b, b.concat(parts, channel), image_windows, wanted, order)
    bias = ctx.optional(op, "Bias")
    if bias is not None:
        count = int(np.prod(bias.shape))
        result = b.binary("ADD", result, b.reshape(bias, (count,) if _last(op) else (count, 1, 1)))
    _finish(op, ctx, result)


def _whole(
    b: Builder, x: Tensor, weight: Tensor, image_windows: list[Window], order: tuple[int, ...]
) -> Tensor:
    """The transposed convolution without padding."""
    stored = b.form(x, order)
    spans = [
        (size - 1) * window.stride + max(window.kernel, window.stride)
        for size, window in zip(stored.shape[1:3], image_windows, strict=True)
    ]
    rows, columns = image_windows
    shape = (stored.shape[0], *spans, weight.shape[1])
    result = b.add(
        "TRANSPOSE_CONV",
        [b.numbers(*shape), b.form(weight, _IHWO), stored],
        shape,
        stored.dtype,
        padding=VALID,
        stride_w=columns.stride,
        stride_h=rows.stride,
    )
    return b.wrap(result, order)


def _cut(
    b: Builder, whole: Tensor, image_windows: list[Window], wanted: tuple[int, ...], order: tuple[int, ...]
) -> Tensor:
    """The result without its padding, with zeros where the windows do not reach."""
    begins, counts, missing = {}, {}, {}
    for axis, window, size in zip(order[1:3], image_windows, wanted, strict=True):
        begins[axis] = window.before
        counts[axis] = min(size, whole.shape[axis] - window.before)
        missing[axis] = (0, size - counts[axis])
    return b.pad(b.slice(whole, begins, counts), missing)


register(
    __name__,
    {"conv2d": _conv, "conv2d_transpose": _transposed},
)
