"""pool2d, pool_nd, max_pool2d_with_index → AvgPool, MaxPool, Adaptive…Pool, ReduceMean, ReduceMax (opset 15).

X float16 or float32 [N, C, H, W] or channels last; for pool_nd 3 to 5 axes.  No window lies outside of the
image, paddings are not negative; adaptive maxima of pool2d, dilated or rounded-up averages and Lp averages of
pool_nd are declined.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, why_not_tensors
from lite.bridges.openvino.real_values import average_input, extreme_result, why_not_average
from lite.bridges.openvino.row import Context, Row
from lite.ir.types import Dim, DType
from lite.ops.window import ONNX_SAME, Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "pool2d")
class Pool2d:
    """X → AvgPool, MaxPool, AdaptiveAvgPool, or a reduction over the image."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT)
        if reason is not None or _whole_image(op):
            return reason
        if op.text("pooling_type") == "avg":
            reason = why_not_average(op)
            if reason is not None:
                return reason
        if op.flag("adaptive"):
            if op.flag("global_pooling"):
                return "it is global and adaptive at once, which Paddle reads as bins of one pixel"
            if op.text("pooling_type") == "avg":
                return None
            return "it is an adaptive maximum, which Paddle takes of windows and OpenVINO of bins"
        return _why_not_windows(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, last = ctx.builder, is_channel_last(op.text("data_format"))
        x = b.channels_first(ctx.input(op, "X"), 4, last=last)
        ctx.output(op, b.channels_restored(_pooled(b, op, x), 4, last=last))


def _whole_image(op: BridgeOp) -> bool:
    if op.flag("global_pooling"):
        return not op.flag("adaptive")
    return op.flag("adaptive") and op.text("pooling_type") == "avg" and op.integers("ksize") == [1, 1]


def _why_not_windows(op: BridgeOp) -> str | None:
    pads = op.integers("paddings")
    if min(pads) < 0:
        return f"paddings are {pads}; OpenVINO takes none below 0"
    inclusive = op.text("pooling_type") == "avg" and not op.flag("exclusive")
    if op.text("padding_algorithm") == "SAME" and inclusive:
        return "its averages include the padding of padding_algorithm SAME"
    image = spatial(op.text("data_format"), op["X"].dims)
    for window, size in zip(_windows(op), image, strict=True):
        ceil = op.flag("ceil_mode")
        last = _last_start(window, size, ceil=ceil)
        if last >= 0 or max(window.before, window.after) >= window.kernel:
            return f"a window of {window.kernel} may lie outside of the image of {size}"
        if inclusive and last + window.kernel > window.before:
            return f"a window of {window.kernel} may reach beyond the padding, which averages include"
    return None


def _last_start(window: Window, size: Dim, *, ceil: bool) -> int:
    """The start of the last window, counted from the image's end; an upper bound for an unknown size."""
    if isinstance(size, int):
        return (int(window.out(size, ceil)) - 1) * window.stride - window.before - size
    return window.after - window.kernel + (window.stride - 1 if ceil else 0)


def _windows(op: BridgeOp) -> list[Window]:
    image = spatial(op.text("data_format"), op["X"].dims)
    algorithm = op.text("padding_algorithm")
    return windows(
        image, op.integers("ksize"), op.integers("strides"), [1, 1], op.integers("paddings"), algorithm
    )


def _pooled(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    average = op.text("pooling_type") == "avg"
    if _whole_image(op):
        axes = b.ints([2, 3])
        if average:
            return b.op.reduce_mean(x, axes, True)
        return extreme_result(b, op, b.op.reduce_max(x, axes, True))
    if average:
        x = average_input(b, op, x)
    ksize, strides, pads = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    if op.flag("adaptive"):
        return b.op.adaptive_avg_pool(x, b.ints(ksize))
    step = len(pads) // 2
    before, after = pads[::step], pads[step - 1 :: step]
    auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
    rounding = "ceil" if op.flag("ceil_mode") else "floor"
    if average:
        return b.op.avg_pool(x, strides, before, after, ksize, op.flag("exclusive"), rounding, auto)
    return b.op.max_pool(x, strides, [1, 1], before, after, ksize, rounding, auto).output(0)


@bridge("openvino", "max_pool2d_with_index")
class MaxPool2dWithIndex:
    """X → MaxPool or AdaptiveMaxPool, also with Mask: the index of each maximum in its channel."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT, outputs=("Mask",))
        if op.flag("ceil_mode"):
            return "its windows round the size up (ceil_mode=true)"
        if reason is None and op.flag("global_pooling") and not op["X"].is_static:
            return f"X is {op['X']}: global pooling needs the image's size"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        ksize, strides, pads = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
        if op.flag("global_pooling"):
            node = b.op.adaptive_max_pool(x, b.ints([1, 1]), "i32")
        elif op.flag("adaptive"):
            node = b.op.adaptive_max_pool(x, b.ints(ksize), "i32")
        else:
            step = len(pads) // 2
            before, after = pads[::step], pads[step - 1 :: step]
            node = b.op.max_pool(x, strides, [1, 1], before, after, ksize, index_element_type="i32", axis=2)
        ctx.output(op, node.output(0), "Out")
        if op.writes("Mask"):
            ctx.output(op, b.cast(node.output(1), DType.INT32), "Mask")


def _why_not_pool_nd(op: BridgeOp) -> str | None:
    if not 3 <= op["X"].rank <= 5:
        return f"X is {op['X']}: OpenVINO pools over 1 to 3 spatial axes"
    kind = op.text("pooling_type")
    if kind == "lp":
        return "it computes Lp averages (pooling_type='lp')"
    if kind == "avg" and any(step != 1 for step in op.integers("dilations")):
        return f"dilations are {op.integers('dilations')}; OpenVINO's averages have none"
    if kind == "avg" and (reason := why_not_average(op)) is not None:
        return reason
    if kind == "avg" and op.flag("ceil_mode"):
        return "its averages round the size up (ceil_mode=true)"
    if op.text("padding_algorithm") == "SAME" and not op.flag("exclusive"):
        return "its averages include the padding of padding_algorithm SAME"
    if op.text("padding_algorithm") in ONNX_SAME:
        return f"its padding_algorithm is {op.text('padding_algorithm')}"
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; OpenVINO takes none below 0"
    return None


def _pool_nd(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axes = op["X"].rank - 2
    ksize, strides = op.integers("ksize"), op.integers("strides")
    pads, dilations = op.integers("paddings"), op.integers("dilations")
    step = len(pads) // axes
    before, after = pads[::step], pads[step - 1 :: step]
    auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
    if op.text("pooling_type") == "avg":
        x = average_input(b, op, x)
        return b.op.avg_pool(x, strides, before, after, ksize, op.flag("exclusive"), "floor", auto)
    rounding = "ceil_torch" if op.flag("ceil_mode") else "floor"
    if auto == "same_upper":
        dilations = [1] * axes
    return b.op.max_pool(x, strides, dilations, before, after, ksize, rounding, auto).output(0)


bridge("openvino", "pool_nd")(Row("X", _pool_nd, check=_why_not_pool_nd))
