"""The sliding windows of convolutions and poolings: what the device's registers hold.

A kernel has up to 8×8 taps.  One register holds both strides (1 to 8), another both dilations (1 to 8).
Paddings are 0 to 15 on each side.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.sim_npu.limits import DILATION, KERNEL, PADDING, STRIDE
from lite.ir.types import Dim
from lite.ops.window import Window, windows
from lite.plugin.device import BridgeOp


def why_not_windows(kernel: Sequence[Dim], strides: Sequence[int], dilations: Sequence[int]) -> str | None:
    """Why the device cannot slide such a window; None when it can."""
    if any(isinstance(size, int) and size > KERNEL for size in kernel):
        return f"the kernel is {_by(kernel)}; the device takes up to {KERNEL}x{KERNEL}"
    for name, numbers, highest in (("strides", strides, STRIDE), ("dilations", dilations, DILATION)):
        if len(set(numbers)) > 1:
            return f"{name} are {_by(numbers)}; the device has one register for both, so they must be equal"
        if max(numbers) > highest:
            return f"{name} are {_by(numbers)}; the device takes up to {highest}"
    return None


def why_not_paddings(image_windows: Sequence[Window]) -> str | None:
    """Why the device cannot pad an image for these windows; None when it can."""
    pads = _pads(image_windows)
    if not all(0 <= pad <= PADDING for pad in pads):
        return f"paddings are {pads} (top, bottom, left, right); the device takes 0 to {PADDING}"
    return None


def conv_windows(op: BridgeOp) -> list[Window]:
    """The windows of a convolution, down and right."""
    image = op["Input"].dims[2:]
    kernel = [int(size) for size in op["Filter"].dims[2:]]
    strides, dilations = op.integers("strides"), op.integers("dilations")
    return windows(image, kernel, strides, dilations, op.integers("paddings"), op.text("padding_algorithm"))


def window_attributes(image_windows: Sequence[Window]) -> dict[str, int | list[int]]:
    """The windows as attributes of an SDK operator."""
    return {"stride": image_windows[0].stride, "pads": _pads(image_windows)}


def _pads(image_windows: Sequence[Window]) -> list[int]:
    return [pad for window in image_windows for pad in (window.before, window.after)]


def _by(numbers: Sequence[Dim]) -> str:
    return "x".join(str(number) for number in numbers)
