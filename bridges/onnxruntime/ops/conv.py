"""Convolutions of images and volumes, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes, Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dims
from lite.errors import CompileError
from lite.ir.types import UNKNOWN
from lite.ops.view import Meta
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp

_FUSED = ("activation", "fuse_activation")


@converts("conv2d", "depthwise_conv2d", "conv3d")
def conv(op: BridgeOp, ctx: Context) -> None:
    """Conv; images whose channels are last are transposed."""
    check_plain(op)
    found = conv_windows(op)
    attributes: Attributes = {
        "kernel_shape": [window.kernel for window in found],
        "strides": [window.stride for window in found],
        "dilations": [window.dilation for window in found],
        "group": op.integer("groups"),
        **padding(op, op["Input"], found),
    }
    x, bias = channels_first(op, ctx), ctx.optional(op, "Bias")
    result = ctx.builder.add(
        "Conv", x, ctx.input(op, "Filter"), bias if bias is None else ctx.builder.flat(bias), **attributes
    )
    ctx.output(op, as_before(op, ctx, result))


@converts("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def conv_transpose(op: BridgeOp, ctx: Context) -> None:
    """ConvTranspose; `output_size` becomes output padding."""
    check_plain(op)
    found = conv_windows(op)
    attributes: Attributes = {
        "kernel_shape": [window.kernel for window in found],
        "strides": [window.stride for window in found],
        "dilations": [window.dilation for window in found],
        "group": op.integer("groups"),
        "output_padding": _output_padding(op, found),
    }
    if op.text("padding_algorithm") == "SAME":
        known_dims(op["Input"], "Input")
    attributes["pads"] = [window.before for window in found] + [window.after for window in found]
    x, bias = channels_first(op, ctx), ctx.optional(op, "Bias")
    result = ctx.builder.add(
        "ConvTranspose",
        x,
        ctx.input(op, "Filter"),
        bias if bias is None else ctx.builder.flat(bias),
        **attributes,
    )
    ctx.output(op, as_before(op, ctx, result))


def check_plain(op: BridgeOp) -> None:
    """Raise `CompileError` for what only the host's fusions write."""
    fused = [name for name in ("ResidualData", "PostScale", "PostShift") if op.all(name)]
    if op.op.startswith(("conv2d", "depthwise")):
        fused += [name for name in _FUSED if op.text(name)] + ["fuse_relu"] * op.flag("fuse_relu")
    if fused:
        raise CompileError(f"it is a fused convolution, with {', '.join(fused)}")


def conv_windows(op: BridgeOp) -> list[Window]:
    """The windows over the input; the filter's sizes must be known."""
    kernel = known_dims(Meta(op["Filter"].dtype, op["Filter"].dims[2:]), "the filter")
    shape = op["Input"].shape
    return windows(
        [UNKNOWN] * len(kernel) if shape is None else spatial(_format(op), shape),
        kernel,
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def padding(op: BridgeOp, image: Meta, found: Sequence[Window]) -> Attributes:
    """Pads, or auto_pad where the padding depends on sizes that are not known yet."""
    if op.text("padding_algorithm") == "SAME" and not image.is_static:
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": [window.before for window in found] + [window.after for window in found]}


def channels_first(op: BridgeOp, ctx: Context, slot: str = "Input") -> Tensor:
    """The image with its channels on axis 1."""
    x = ctx.input(op, slot)
    if not is_channel_last(_format(op)):
        return x
    rank = op[slot].rank
    return ctx.builder.transpose(x, [0, rank - 1, *range(1, rank - 1)])


def as_before(op: BridgeOp, ctx: Context, image: Tensor, slot: str = "Input") -> Tensor:
    """An image with its channels on axis 1 in the op's own format."""
    if not is_channel_last(_format(op)):
        return image
    return ctx.builder.transpose(image, [0, *range(2, op[slot].rank), 1])


def _format(op: BridgeOp) -> str:
    return "NCDHW" if op.op.startswith("conv3d") else op.text("data_format")


def _output_padding(op: BridgeOp, found: Sequence[Window]) -> list[int]:
    given = op.integers("output_padding")
    wanted: list[int] | None = []
    if op.op != "conv3d_transpose":
        wanted = op.values("OutputSize") if op.get("OutputSize") else op.integers("output_size")
    if wanted is None:
        raise CompileError("OutputSize must be known before the run")
    if not wanted:
        return given or [0] * len(found)
    image = known_dims(Meta(op["Input"].dtype, tuple(spatial(_format(op), op["Input"].dims))), "the image")
    plain = [window.transposed(size) for window, size in zip(found, image, strict=True)]
    extra = [size - int(least) for size, least in zip(wanted, plain, strict=True)]
    if any(not 0 <= more < window.stride for more, window in zip(extra, found, strict=True)):
        raise CompileError(f"an output of {wanted} is not within one stride of {plain}, as ONNX wants it")
    return extra
