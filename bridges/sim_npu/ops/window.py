"""Windows over images, which convolutions and poolings share: what the device's registers hold."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.sim_npu.limits import DILATION, KERNEL, PADDING, STRIDE
from lite.ir.types import Dim
from lite.ops.window import Window, windows
from lite.plugin.device import BridgeOp


def why_not_windows(kernel: Sequence[Dim], strides: Sequence[int], dilations: Sequence[int]) -> str | None:
    """Why the device cannot slide such a window; None when it can."""
    if any(isinstance(size, int) and size > KERNEL for size in kernel):
        return f"the kernel is {_by(kernel)}; the device's is up to {KERNEL}x{KERNEL}"
    for what, numbers, most in (("strides", strides, STRIDE), ("dilations", dilations, DILATION)):
        if len(set(numbers)) > 1:
            return f"{what} are {_by(numbers)}; the device has one register for both, so they must be equal"
        if max(numbers) > most:
            return f"{what} are {_by(numbers)}; the device's are up to {most}"
    return None


def why_not_paddings(found: Sequence[Window]) -> str | None:
    """Why the device cannot pad an image so; None when it can."""
    pads = [pad for window in found for pad in (window.before, window.after)]
    if not all(0 <= pad <= PADDING for pad in pads):
        return f"paddings are {pads} (top, bottom, left, right); the device's are 0 to {PADDING}"
    return None


def conv_windows(op: BridgeOp) -> list[Window]:
    """The windows of a convolution, down and right."""
    image = op["Input"].dims[2:]
    kernel = [int(size) for size in op["Filter"].dims[2:]]
    strides, dilations = op.integers("strides"), op.integers("dilations")
    return windows(image, kernel, strides, dilations, op.integers("paddings"), op.text("padding_algorithm"))


def window_attributes(found: Sequence[Window]) -> dict[str, int | list[int]]:
    """What the SDK's operators call it."""
    return {
        "stride": found[0].stride,
        "pads": [pad for window in found for pad in (window.before, window.after)],
    }


def _by(numbers: Sequence[Dim]) -> str:
    return "x".join(str(number) for number in numbers)
