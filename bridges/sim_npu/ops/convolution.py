"""conv2d → CONV_2D; conv2d_transpose → CONV_TRANSPOSE_2D.

Input float32[N, C, H, W]; Filter float32[M, C / groups, kH, kW], of a transpose float32[C, M / groups, kH,
kW]; Bias float32[M].  Filter and Bias lie in the device's weight memory: they must be constants.  `window.py`
has the limits of kernel, strides, dilations and paddings; `fused_activation.py` has the activations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.fused_activation import FREE, why_not_activation
from lite.bridges.sim_npu.limits import static_shape, why_not_computed, why_not_tensors
from lite.bridges.sim_npu.window import conv_windows, why_not_paddings, why_not_windows, window_attributes
from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


@dataclass(frozen=True)
class Conv:
    """A convolution or a transposed one → the SDK's operator `kind`."""

    kind: str

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_conv(op) or why_not_activation(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        activation = FREE[op.text("activation")]
        ctx.output(op, add_conv(op, ctx, self.kind, op.constant("Filter"), op.constant("Bias"), activation))


def add_conv(
    op: BridgeOp, ctx: Context, kind: str, weights: Array | None, bias: Array | None, activation: str
) -> Tensor:
    """The node of a convolution, with the op's windows and the given filter and bias."""
    arrays = {"filter": weights, "bias": None if bias is None else bias.reshape(-1)}
    constants = [ctx.builder.constant(name, array) for name, array in arrays.items() if array is not None]
    image_windows = conv_windows(op)
    return ctx.builder.add(
        kind,
        ctx.input(op, "Input"),
        *constants,
        groups=op.integer("groups"),
        dilation=image_windows[0].dilation,
        activation=activation,
        **window_attributes(image_windows),
        **({} if kind == "CONV_2D" else {"extra": _extra_size(op)}),
    )


def why_not_conv(op: BridgeOp) -> str | None:
    """Why the device cannot run a convolution, whatever activation follows; None when it can."""
    reason = why_not_computed(op, "Filter", "Bias") or why_not_tensors(op, "Input", "Filter", "Bias")
    if reason is not None:
        return reason
    if op.text("data_format") not in ("NCHW", "AnyLayout"):
        return f"images are {op.text('data_format')}; the device takes NCHW"
    kernel = op["Filter"].dims[2:]
    reason = why_not_windows(kernel, op.integers("strides"), op.integers("dilations"))
    if reason is not None or op["Input"].shape is None:
        return reason
    return why_not_paddings(conv_windows(op)) or _why_not_extra_size(op)


def _extra_size(op: BridgeOp) -> list[int]:
    """Rows and columns that the result of a transposed convolution has beyond those that its windows span."""
    image, result = static_shape(op["Input"])[2:], static_shape(op.output())[2:]
    spanned = [window.transposed(size) for window, size in zip(conv_windows(op), image, strict=True)]
    return [size - int(least) for size, least in zip(result, spanned, strict=True)]


def _why_not_extra_size(op: BridgeOp) -> str | None:
    if op.op.endswith("transpose") and op["Input"].is_static and op.output().is_static:
        extra, stride = _extra_size(op), op.integers("strides")[0]
        if not all(0 <= more < stride for more in extra):
            return f"its windows leave out {extra} rows and columns; the device adds 0 to {stride - 1}"
    return None


for _name, _kind in {
    "conv2d": "CONV_2D",
    "conv2d_transpose": "CONV_TRANSPOSE_2D",
}.items():
    bridge("sim_npu", _name)(Conv(_kind))
