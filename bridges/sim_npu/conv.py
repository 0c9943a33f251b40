"""Convolutions → CONV_2D, CONV_TRANSPOSE_2D.

Filter and bias lie in the device's weight memory: they must be constants.  Strides must be equal, and the
kernel at most 8x8; images are NCHW.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.fused import fused_activation, why_not_activation
from lite.bridges.sim_npu.limits import sizes, why_not_tensors
from lite.bridges.sim_npu.window import attributes, conv_windows, why_not_paddings, why_not_windows
from lite.plugin.bridge import bridge
from lite.plugin.bridge_op import BridgeOp
from lite.plugin.device import Device


@dataclass(frozen=True)
class Conv:
    """A convolution or its transpose; `kind` is what the device calls it."""

    kind: str

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_conv(op) or why_not_activation(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        image, weights = ctx.input(op, "Input"), ctx.input(op, "Filter")
        bias = op.constant("Bias")
        more = [] if bias is None else [ctx.builder.constant("bias", bias.reshape(-1))]
        found = conv_windows(op)
        extra = {} if self.kind == "CONV_2D" else {"extra": extra_rows_and_columns(op)}
        output = ctx.builder.add(
            self.kind,
            image,
            weights,
            *more,
            groups=op.integer("groups"),
            dilation=found[0].dilation,
            activation=fused_activation(op),
            **attributes(found),
            **extra,
        )
        ctx.output(op, output)


def why_not_conv(op: BridgeOp) -> str | None:
    """What must be true of a convolution, whatever comes behind it."""
    for slot in ("Filter", "Bias"):
        if op.get(slot) is not None and op.constant(slot) is None:
            return f"{slot} is computed at run time; the device's lies in its weight memory"
    reason = why_not_tensors(op, "Input", "Filter", "Bias")
    if reason is not None:
        return reason
    if op.text("data_format") not in ("NCHW", "AnyLayout"):
        return f"images are {op.text('data_format')}; the device's are NCHW"
    kernel = op["Filter"].dims[2:]
    reason = why_not_windows(kernel, op.integers("strides"), op.integers("dilations"))
    if reason is not None or op["Input"].shape is None:
        return reason
    return why_not_paddings(conv_windows(op)) or _why_not_size(op)


def extra_rows_and_columns(op: BridgeOp) -> list[int]:
    """What the result of a transposed convolution has beyond what its windows span."""
    image, result = sizes(op["Input"])[2:], sizes(op.output())[2:]
    spanned = [w.transposed(size) for w, size in zip(conv_windows(op), image, strict=True)]
    return [have - int(least) for have, least in zip(result, spanned, strict=True)]


def _why_not_size(op: BridgeOp) -> str | None:
    if op.op.endswith("transpose") and op["Input"].is_static and op.output().is_static:
        extra, stride = extra_rows_and_columns(op), op.integers("strides")[0]
        if not all(0 <= more < stride for more in extra):
            return f"the result has {extra} more rows and columns than windows span; the device adds 0 to {stride - 1}"
    return None


for _names, _kind in {
    ("conv2d", "depthwise_conv2d"): "CONV_2D",
    ("conv2d_transpose", "depthwise_conv2d_transpose"): "CONV_TRANSPOSE_2D",
}.items():
    bridge("sim_npu", *_names)(Conv(_kind))
