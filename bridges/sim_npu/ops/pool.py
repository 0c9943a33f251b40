"""pool2d → POOL_2D; the average of a whole image → REDUCE_MEAN, which has no limit of size.

The device has no bins of different sizes: an adaptive pooling must divide the image evenly.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import known, why_not_tensors
from lite.bridges.sim_npu.ops.window import why_not_paddings, why_not_windows, window_attributes
from lite.ir.types import Dim
from lite.ops.window import Window, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "pool2d")
class Pool2d:
    """Maxima and averages."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, "X")
        if reason is not None:
            return reason
        if op.text("data_format") not in ("NCHW", "AnyLayout"):
            return f"images are {op.text('data_format')}; the device's are NCHW"
        if _is_mean(op) or op["X"].shape is None:
            return None
        if op.flag("global_pooling") and op.flag("adaptive"):
            return "it is global and adaptive at once, which Paddle reads as bins of one pixel"
        if op.flag("adaptive") and op.text("pooling_type") == "max":
            return "it is an adaptive maximum; the device has windows alone"
        if not (op.flag("global_pooling") or op.flag("adaptive")):
            reason = why_not_windows(op.integers("ksize"), op.integers("strides"), [1])
        image = op["X"].dims[2:]
        return reason or (_why_not_image(op, image) if known(image) else None)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        if _is_mean(op):
            ctx.output(op, ctx.builder.add("REDUCE_MEAN", x, axes=[2, 3]))
            return
        found = _windows(op)
        output = ctx.builder.add(
            "POOL_2D",
            x,
            mode="MAX" if op.text("pooling_type") == "max" else "AVERAGE",
            kernel=[window.kernel for window in found],
            count_padding=not op.flag("exclusive"),
            **window_attributes(found),
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
    found = _windows(op)
    kernel, strides = [window.kernel for window in found], [window.stride for window in found]
    reason = why_not_windows(kernel, strides, [1]) or why_not_paddings(found)
    if reason is not None:
        return reason
    if any(max(window.before, window.after) >= window.kernel for window in found):
        return (
            f"the paddings reach beyond the kernel of {kernel[0]}x{kernel[1]}; the device's must be smaller"
        )
    inclusive = op.text("pooling_type") == "avg" and not op.flag("exclusive")
    if inclusive and any(window.after > window.before for window in found):
        return "its last windows end at the padding's edge; the device's averages count whole windows"
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
    found = windows(image, ksize, strides, [1, 1], paddings, op.text("padding_algorithm"))
    return [_reaching(w, size, op.flag("ceil_mode")) for w, size in zip(found, image, strict=True)]


def _reaching(window: Window, size: int, ceil: bool) -> Window:
    """The window with as much padding behind as its last place reaches into."""
    reach = (int(window.out(size, ceil)) - 1) * window.stride + window.kernel
    after = max(window.after, reach - size - window.before)
    return Window(window.kernel, window.stride, 1, window.before, after)
