"""conv2d, conv3d → Conv, their transposes → ConvTranspose (ONNX opset 21).

Input float32[N, C, H, W] or float32[N, C, D, H, W], 2D also with channels last; Filter float32[M, C / groups,
kH, kW], of a transpose float32[C, M / groups, kH, kW], of known sizes.  Fused activations, residuals and
scales are declined.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes
from lite.emission.onnx.shape_inputs import require_dims
from lite.ir.types import UNKNOWN
from lite.ops import SCHEMAS
from lite.ops.view import Meta
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp


@converts("conv2d", "conv3d")
def conv(op: BridgeOp, ctx: Context) -> None:
    """conv2d, conv3d → Conv."""
    _check_plain(op)
    image_windows = _windows(op)
    if op.text("padding_algorithm") == "SAME" and not op["Input"].is_static:
        _add_node(op, ctx, "Conv", image_windows, {"auto_pad": "SAME_UPPER"})
    else:
        _add_node(op, ctx, "Conv", image_windows, {"pads": _pads(image_windows)})


@converts("conv2d_transpose", "conv3d_transpose")
def conv_transpose(op: BridgeOp, ctx: Context) -> None:
    """conv2d_transpose, conv3d_transpose → ConvTranspose; `output_size` becomes output_padding."""
    _check_plain(op)
    image_windows = _windows(op)
    output_padding = _output_padding(op, image_windows)
    if op.text("padding_algorithm") == "SAME":
        require_dims(op["Input"], "Input")
    attributes: Attributes = {"output_padding": output_padding, "pads": _pads(image_windows)}
    _add_node(op, ctx, "ConvTranspose", image_windows, attributes)


def _add_node(
    op: BridgeOp, ctx: Context, op_type: str, image_windows: Sequence[Window], padding: Attributes
) -> None:
    """Add the node, between transposes for channels last."""
    b, bias, last = ctx.builder, ctx.optional(op, "Bias"), is_channel_last(_format(op))
    rank = op["Input"].rank if last else 0
    result = b.add(
        op_type,
        b.channels_first(ctx.input(op, "Input"), rank, last=last),
        ctx.input(op, "Filter"),
        bias if bias is None or op["Bias"].rank == 1 else b.flat(bias),
        kernel_shape=[window.kernel for window in image_windows],
        strides=[window.stride for window in image_windows],
        dilations=[window.dilation for window in image_windows],
        group=op.integer("groups"),
        **padding,
    )
    ctx.output(op, b.channels_restored(result, rank, last=last))


def _check_plain(op: BridgeOp) -> None:
    """Decline the inputs and attributes that only the host's fusions write."""
    fused = [name for name in ("ResidualData", "PostScale", "PostShift") if op.all(name)]
    if "activation" in SCHEMAS[op.op].attrs and op.text("activation"):
        fused.append("activation")
    if fused:
        raise Declined(f"it is a fused convolution, with {', '.join(fused)}")


def _windows(op: BridgeOp) -> list[Window]:
    """The windows over the input; declines a filter of unknown size."""
    kernel = require_dims(Meta(op["Filter"].dtype, op["Filter"].dims[2:]), "the filter")
    shape = op["Input"].shape
    return windows(
        [UNKNOWN] * len(kernel) if shape is None else spatial(_format(op), shape),
        kernel,
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def _pads(image_windows: Sequence[Window]) -> list[int]:
    return [window.before for window in image_windows] + [window.after for window in image_windows]


def _format(op: BridgeOp) -> str:
    return "NCDHW" if op.op.startswith("conv3d") else op.text("data_format")


def _output_padding(op: BridgeOp, image_windows: Sequence[Window]) -> list[int]:
    sizes: list[int] | None = []
    if op.op != "conv3d_transpose":
        sizes = op.values("OutputSize") if op.get("OutputSize") else op.integers("output_size")
    if sizes is None:
        raise Declined("OutputSize must be constant")
    if not sizes:
        return op.integers("output_padding") or [0] * len(image_windows)
    image = require_dims(Meta(op["Input"].dtype, tuple(spatial(_format(op), op["Input"].dims))), "the image")
    spanned = [window.transposed(size) for window, size in zip(image_windows, image, strict=True)]
    extra = [size - int(least) for size, least in zip(sizes, spanned, strict=True)]
    if any(not 0 <= more < window.stride for more, window in zip(extra, image_windows, strict=True)):
        raise Declined(f"output_size is {sizes}; ONNX takes less than one stride above {spanned}")
    return extra
