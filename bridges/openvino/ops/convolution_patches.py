"""deformable_conv → DeformableConvolution; unfold → ExtractImagePatches (opset 15).

deformable_conv: Input float32[N, C, H, W], Filter float32[M, C / groups, kH, kW] of known sizes; paddings are
not negative.  unfold: X float32[N, C, H, W] with known C.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.ops.window import paddings_by_axis
from lite.plugin.device import BridgeOp, bridge


def _why_not_deformable(op: BridgeOp) -> str | None:
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; OpenVINO takes none below 0"
    if not op["Filter"].is_static:
        return f"Filter is {op['Filter']}: its sizes must be known"
    return None


def _deformable_conv(
    b: Builder,
    op: BridgeOp,
    x: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    weight: Tensor,
    bias: Tensor | None,
) -> Tensor:
    """Samples outside of the image are zeros, and samples at its border are interpolated with zeros."""
    pads = op.integers("paddings")
    step = len(pads) // 2
    result = b.op.deformable_convolution(
        x,
        offset,
        weight,
        op.integers("strides"),
        pads[::step],
        pads[step - 1 :: step],
        op.integers("dilations"),
        mask,
        "explicit",
        op.integer("groups"),
        op.integer("deformable_groups"),
        bilinear_interpolation_pad=True,
    )
    return result if bias is None else b.op.add(result, b.per_channel(b.reshape(bias, [-1]), 4))


def _why_not_unfold(op: BridgeOp) -> str | None:
    if not isinstance(op["X"].dims[1], int):
        return f"the number of channels must be known, X is {op['X']}"
    return None


def _unfold(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """In a patch, channels are the inner axis for OpenVINO and the outer axis for Paddle."""
    rows, columns = op.integers("kernel_sizes")
    channels = int(op["X"].dims[1])
    pads = paddings_by_axis(op.integers("paddings"))
    top, bottom, left, right = pads if len(pads) == 4 else [pads[0], pads[0], pads[1], pads[1]]
    if any((top, bottom, left, right)):
        x = b.op.pad(x, b.ints([0, 0, top, left]), b.ints([0, 0, bottom, right]), "constant", b.like(0, x))
    patches = b.op.extract_image_patches(
        x, [rows, columns], op.integers("strides"), op.integers("dilations"), "valid"
    )
    by_position = b.reshape(patches, [0, rows * columns, channels, -1])
    return b.reshape(b.transpose(by_position, [0, 2, 1, 3]), [0, channels * rows * columns, -1])


bridge("openvino", "deformable_conv")(
    Row("Input Offset Mask? Filter Bias?", _deformable_conv, one_type=True, check=_why_not_deformable)
)
bridge("openvino", "unfold")(Row("X", _unfold, check=_why_not_unfold))
