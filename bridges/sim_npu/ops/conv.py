"""Convolutions → CONV_2D, CONV_TRANSPOSE_2D.

Filter and bias lie in the device's weight memory: they must be constants.  Strides must be equal, and the
kernel at most 8x8; images are NCHW.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import sizes, why_not_computed, why_not_tensors
from lite.bridges.sim_npu.ops.free_activation import FREE, own_activation, why_not_activation
from lite.bridges.sim_npu.ops.window import conv_windows, why_not_paddings, why_not_windows, window_attributes
from lite.ir.types import Array
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


@dataclass(frozen=True)
class Conv:
    """A convolution or its transpose; `kind` is what the device calls it."""

    kind: str

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_conv(op) or why_not_activation(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        activation = FREE[own_activation(op)]
        ctx.output(op, add_conv(op, ctx, self.kind, op.constant("Filter"), op.constant("Bias"), activation))


def add_conv(
    op: BridgeOp, ctx: Context, kind: str, weights: Array | None, bias: Array | None, activation: str
) -> Tensor:
    """The node of a convolution, with its own windows and perhaps another filter and bias."""
    arrays = {"filter": weights, "bias": None if bias is None else bias.reshape(-1)}
    constants = [ctx.builder.constant(name, array) for name, array in arrays.items() if array is not None]
    found = conv_windows(op)
    return ctx.builder.add(
        kind,
        ctx.input(op, "Input"),
        *constants,
        groups=op.integer("groups"),
        dilation=found[0].dilation,
        activation=activation,
        **window_attributes(found),
        **({} if kind == "CONV_2D" else {"extra": extra_rows_and_columns(op)}),
    )


def why_not_conv(op: BridgeOp) -> str | None:
    """What must be true of a convolution, whatever comes behind it."""
    reason = why_not_computed(op, "Filter", "Bias") or why_not_tensors(op, "Input", "Filter", "Bias")
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
            return f"its windows leave out {extra} rows and columns; the device adds 0 to {stride - 1}"
    return None


for _names, _kind in {
    ("conv2d", "depthwise_conv2d"): "CONV_2D",
    ("conv2d_transpose", "depthwise_conv2d_transpose"): "CONV_TRANSPOSE_2D",
}.items():
    bridge("sim_npu", *_names)(Conv(_kind))
