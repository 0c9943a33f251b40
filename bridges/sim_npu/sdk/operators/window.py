"""Sliding windows over images, with the padding and limits that convolutions and poolings share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.attributes import Attributes, integer, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


@dataclass(frozen=True)
class Windows:
    """Rows and columns of the window, and its step; `pads` are top, bottom, left, right."""

    kernel: tuple[int, int]
    stride: int
    dilation: int
    pads: tuple[int, int, int, int]

    @classmethod
    def read(cls, kernel: Sequence[int], attributes: Attributes) -> Windows:
        """The windows of a node's attributes; raises `NpuError` beyond a limit."""
        if not all(1 <= size <= limits.KERNEL for size in kernel):
            raise NpuError(
                Status.LIMIT_EXCEEDED,
                f"kernel {kernel[0]}x{kernel[1]} (supported: up to {limits.KERNEL}x{limits.KERNEL})",
            )
        pads = integers(attributes, "pads", 4)
        if not all(0 <= pad <= limits.PADDING for pad in pads):
            raise NpuError(Status.LIMIT_EXCEEDED, f"pads {pads} (supported: 0 to {limits.PADDING})")
        stride = integer(attributes, "stride", 1, limits.STRIDE)
        dilation = integer(attributes, "dilation", 1, limits.DILATION) if "dilation" in attributes else 1
        return cls((kernel[0], kernel[1]), stride, dilation, (pads[0], pads[1], pads[2], pads[3]))

    @property
    def extents(self) -> tuple[int, int]:
        """Rows and columns that the window spans."""
        rows, columns = (self.dilation * (size - 1) + 1 for size in self.kernel)
        return rows, columns

    def out(self, image: Sequence[int]) -> tuple[int, int]:
        """Rows and columns of the result, for an image of this size."""
        top, bottom, left, right = self.pads
        grown = (image[0] + top + bottom, image[1] + left + right)
        rows, columns = (
            (size - extent) // self.stride + 1 for size, extent in zip(grown, self.extents, strict=True)
        )
        if min(rows, columns) < 1:
            raise NpuError(Status.INVALID_SHAPE, f"image {list(image)} is smaller than the window")
        return rows, columns

    def taps(self, image: Array, out: Sequence[int]) -> Iterator[tuple[int, int, Array]]:
        """For each position (row, column) in the window, the pixels of a padded image at that position."""
        for row in range(self.kernel[0]):
            for column in range(self.kernel[1]):
                top, left = row * self.dilation, column * self.dilation
                down = slice(top, top + (out[0] - 1) * self.stride + 1, self.stride)
                right = slice(left, left + (out[1] - 1) * self.stride + 1, self.stride)
                yield row, column, image[:, :, down, right]

    def padded(self, image: Array, value: float) -> Array:
        """The image with its padding, filled with `value`."""
        top, bottom, left, right = self.pads
        if not any(self.pads):
            return image
        return np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value)


def require_image(type_: TensorType) -> None:
    """Raise `NpuError` for anything but an image float32[N, C, H, W]."""
    if type_.dtype != "float32" or len(type_.shape) != 4:
        raise NpuError(Status.INVALID_SHAPE, f"an image is float32[N, C, H, W], got {type_}")
