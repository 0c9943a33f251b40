"""pool2d → POOL_2D; the average of a whole image → REDUCE_MEAN, which has no limit of size.

X float32[N, C, H, W].  `window.py` has the limits of kernel and strides; paddings are smaller than the
kernel.  The device has no bins of different sizes: an adaptive pooling must divide the image evenly.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import are_known, why_not_tensors
from lite.bridges.sim_npu.window import why_not_paddings, why_not_windows, window_attributes
from lite.ir.types import Dim
from lite.ops.window import Window, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "pool2d")
class Pool2d:
    """X → POOL_2D in mode MAX or AVERAGE, or REDUCE_MEAN over the image."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, "X")
        if reason is not None:
            return reason
        if op.text("data_format") not in ("NCHW", "AnyLayout"):
            return f"images are {op.text('data_format')}; the device takes NCHW"
        if _is_mean(op) or op["X"].shape is None:
            return None
        if op.flag("global_pooling") and op.flag("adaptive"):
            return "it is global and adaptive at once, which Paddle reads as bins of one pixel"
        if op.flag("adaptive") and op.text("pooling_type") == "max":
            return "it is an adaptive maximum; the device has windows only"
        if not (op.flag("global_pooling") or op.flag("adaptive")):
            reason = why_not_windows(op.integers("ksize"), op.integers("strides"), [1])
        image = op["X"].dims[2:]
        return reason or (_why_not_image(op, image) if are_known(image) else None)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        if _is_mean(op):
            ctx.output(op, ctx.builder.add("REDUCE_MEAN", x, axes=[2, 3]))
            return
        image_windows = _windows(op)
        output = ctx.builder.add(
            "POOL_2D",
            x,
            mode="MAX" if op.text("pooling_type") == "max" else "AVERAGE",
            kernel=[window.kernel for window in image_windows],
            count_padding=not op.flag("exclusive"),
            **window_attributes(image_windows),
        )
        ctx.output(op, output)


def _is_mean(op: BridgeOp) -> bool:
    """Whether the result is the average of the whole image."""
    whole = op.flag("global_pooling")
    if op.flag("adaptive"):
        whole = not whole and op.integers("ksize") == [1, 1]
    return whole and op.text("pooling_type") == "avg"


def _why_not_image(op: BridgeOp, image: tuple[Dim, ...]) -> str | None:
    bins = op.integers("ksize") if op.flag("adaptive") else [1, 1]
    if any(int(size) % count for size, count in zip(image, bins, strict=True)):
        return f"{image[0]}x{image[1]} pixels do not divide into {bins[0]}x{bins[1]} equal windows"
    image_windows = _windows(op)
    kernel, strides = [w.kernel for w in image_windows], [w.stride for w in image_windows]
    reason = why_not_windows(kernel, strides, [1]) or why_not_paddings(image_windows)
    if reason is not None:
        return reason
    if any(max(window.before, window.after) >= window.kernel for window in image_windows):
        return (
            f"the paddings reach beyond the kernel of {kernel[0]}x{kernel[1]}; the device takes smaller ones"
        )
    inclusive = op.text("pooling_type") == "avg" and not op.flag("exclusive")
    if inclusive and any(window.after > window.before for window in image_windows):
        return "its last windows end at the edge of the padding; averages on the device count whole windows"
    return None


def _windows(op: BridgeOp) -> list[Window]:
    """The windows, down and right, with the padding that they reach into."""
    image = [int(size) for size in op["X"].dims[2:]]
    if op.flag("global_pooling"):
        return [Window(size, 1, 1, 0, 0) for size in image]
    if op.flag("adaptive"):
        steps = [size // count for size, count in zip(image, op.integers("ksize"), strict=True)]
        return [Window(step, step, 1, 0, 0) for step in steps]
    ksize, strides, paddings = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    declared = windows(image, ksize, strides, [1, 1], paddings, op.text("padding_algorithm"))
    return [_padded(w, size, op.flag("ceil_mode")) for w, size in zip(declared, image, strict=True)]


def _padded(window: Window, size: int, ceil: bool) -> Window:
    """The window with as much padding at the end as its last position reaches into."""
    reach = (int(window.out(size, ceil)) - 1) * window.stride + window.kernel
    after = max(window.after, reach - size - window.before)
    return Window(window.kernel, window.stride, 1, window.before, after)
