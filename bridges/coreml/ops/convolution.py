"""conv2d → conv, conv2d_transpose → conv_transpose.

Input float32[N, C, H, W], or channels last.  Paddings are not negative.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.bridges.coreml.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp


def _last(op: BridgeOp) -> bool:
    return is_channel_last(op.text("data_format"))


def _windows(op: BridgeOp, b: Builder, x: Tensor) -> list[Window]:
    if not op["Filter"].is_static:
        raise Declined(f"Filter is {op['Filter']}: its sizes must be known")
    if min(op.integers("paddings")) < 0:
        raise Declined(f"paddings are {op.integers('paddings')}; MIL takes none below 0")
    return windows(
        b.shape(x)[2:],
        sizes(op["Filter"])[2:],
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def _arguments(op: BridgeOp, image_windows: list[Window]) -> dict[str, Any]:
    return {
        "strides": [window.stride for window in image_windows],
        "dilations": [window.dilation for window in image_windows],
        "groups": op.integer("groups"),
        "pad_type": "custom",
    }


def _conv(op: BridgeOp, ctx: Context) -> None:
    b = ctx.builder
    x = b.channels_first(ctx.input(op, "Input"), 4, last=_last(op))
    image_windows = _windows(op, b, x)
    bias = op.constant("Bias")
    arguments = _arguments(op, image_windows)
    if bias is not None:
        arguments["bias"] = bias.reshape(-1)
    pads = [pad for window in image_windows for pad in (window.before, window.after)]
    _finish(op, ctx, b.add("conv", x=x, weight=ctx.input(op, "Filter"), pad=pads, **arguments))


def _finish(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    """A computed bias, and what only fused convolutions have."""
    b, last = ctx.builder, _last(op)
    bias = None if op.constant("Bias") is not None else ctx.optional(op, "Bias")
    if bias is not None:
        result = b.add("add", x=result, y=b.reshape(bias, (b.shape(result)[1], 1, 1)))
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        result = b.add("add", x=result, y=b.channels_first(residual, 4, last=last))
    if "activation" in SCHEMAS[op.op].attrs:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    for operation, slot in (("mul", "PostScale"), ("add", "PostShift")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            result = b.add(operation, x=result, y=b.reshape(vector, (b.shape(result)[1], 1, 1)))
    ctx.output(op, b.channels_restored(result, 4, last=last))


def _transposed(op: BridgeOp, ctx: Context) -> None:
    """conv_transpose; where the result is larger than what the windows span, less padding, then zeros."""
    b, weight = ctx.builder, op.constant("Filter")
    if weight is None:
        raise Declined("Filter is computed; MIL's conv_transpose takes a constant")
    if op.node.inputs.get("OutputSize") and op.values("OutputSize") is None:
        raise Declined("OutputSize is a tensor whose numbers are not known")
    last, result = _last(op), sizes(op.output())
    x = b.channels_first(ctx.input(op, "Input"), 4, last=last)
    image_windows = _windows(op, b, x)
    pads, zeros = [], []
    image = result[1:3] if last else result[2:]
    for window, size, out in zip(image_windows, b.shape(x)[2:], image, strict=True):
        extra = out - int(window.transposed(size))
        if extra < 0:
            raise Declined(f"the result is {op.output()}, less than what the windows span")
        kept = min(extra, window.after)
        pads += [window.before, window.after - kept]
        zeros += [0, extra - kept]
    out = b.add("conv_transpose", x=x, weight=weight, pad=pads, **_arguments(op, image_windows))
    if any(zeros):
        out = b.add("pad", x=out, pad=[0, 0, 0, 0, *zeros])
    bias = op.constant("Bias")
    if bias is not None:
        out = b.add("add", x=out, y=bias.reshape(-1, 1, 1))
    _finish(op, ctx, out)


register(__name__, {"conv2d": _conv, "conv2d_transpose": _transposed})
