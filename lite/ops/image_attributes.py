"""The attributes of convolutions and pooling as dataclasses, for kernels (``attrs=ConvAttributes``)."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.types import Dim
from lite.ops.window import Window, is_channel_last, windows


@dataclass(frozen=True)
class FilterAttributes:
    """The attributes of all convolutions and their transposes; the schemas describe each."""

    strides: tuple[int, ...]
    paddings: tuple[int, ...]
    padding_algorithm: str
    dilations: tuple[int, ...]
    groups: int

    def windows(self, sizes: Sequence[Dim], kernel: Sequence[int]) -> list[Window]:
        """The windows of a filter of size `kernel` over an image of size `sizes`, one for each axis."""
        return windows(sizes, kernel, self.strides, self.dilations, self.paddings, self.padding_algorithm)


@dataclass(frozen=True)
class ActivatedAttributes(FilterAttributes):
    """The attributes of convolutions whose last step may be an activation."""

    activation: str
    activation_params: tuple[float, ...]


@dataclass(frozen=True)
class ConvAttributes(ActivatedAttributes):
    """The attributes of convolutions of images and their transposes."""

    data_format: str

    @property
    def is_channel_last(self) -> bool:
        """Whether images are NHWC."""
        return is_channel_last(self.data_format)


@dataclass(frozen=True)
class QuantizingAttributes(ConvAttributes):
    """The attributes of a convolution whose results may be bytes: see the schema of conv2d."""

    out_scale: float
    out_zero_point: int


@dataclass(frozen=True)
class PoolAttributes:
    """The attributes of pool2d; the schema describes each."""

    pooling_type: str
    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    paddings: tuple[int, ...]
    padding_algorithm: str
    global_pooling: bool
    adaptive: bool
    exclusive: bool
    ceil_mode: bool
    data_format: str

    @property
    def is_channel_last(self) -> bool:
        """Whether images are NHWC."""
        return is_channel_last(self.data_format)

    @property
    def is_max(self) -> bool:
        """Whether the result is the maximum of each window, not the average."""
        return self.pooling_type == "max"

    @property
    def is_global(self) -> bool:
        """Whether the window is the whole image."""
        return self.global_pooling and not self.adaptive

    def windows(self, sizes: Sequence[int]) -> list[Window]:
        """The windows over an image of size `sizes`, one for each axis; adaptive averages have none."""
        kernel = sizes if self.global_pooling else self.ksize
        algorithm = "VALID" if self.adaptive else self.padding_algorithm
        return windows(sizes, kernel, self.strides, (1, 1), self.paddings, algorithm)
