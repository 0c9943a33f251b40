"""deformable_conv."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.layout import per_channel
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
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
    """Taps outside of the image are zeros, those at its border are interpolated with zeros."""
    pads = op.integers("paddings")
    step = len(pads) // 2
    sums = b.op.deformable_convolution(
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
    return sums if bias is None else b.op.add(sums, per_channel(b, b.reshape(bias, [-1]), 4))


bridge("openvino", "deformable_conv")(
    Row("Input Offset Mask? Filter Bias?", _deformable_conv, alike=True, why=_why_not)
)
