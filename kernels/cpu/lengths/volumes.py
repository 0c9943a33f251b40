"""Lengths for convolutions and pooling of volumes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lite.kernels.cpu.lengths.products import padded_channels
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.kernels.cpu.tile_sizes import LANES, PLANES, ROW_VECTORS
from lite.plugin.kernel import Array

GEOMETRY = 23
"""The elements of a geometry."""


class Geometry(NamedTuple):
    """The numbers of `compiled.volume` by name, in their order; sizes are those of a volume."""

    channels: int
    out_channels: int
    depth: int
    height: int
    width: int
    padded_depth: int
    padded_height: int
    padded_width: int
    out_depth: int
    out_height: int
    out_width: int
    kernel_in: int
    kernel_down: int
    kernel_right: int
    in_stride: int
    down_stride: int
    right_stride: int
    in_dilation: int
    down_dilation: int
    right_dilation: int
    front: int
    above: int
    left: int

    @classmethod
    def of(cls, numbers: Array) -> Geometry:
        """The geometry in an array; raises `ValueError` for another number of elements."""
        if len(numbers) != GEOMETRY:
            raise ValueError(f"a geometry has {GEOMETRY} elements, got {len(numbers)}")
        return cls(*numbers.tolist())

    @property
    def padded(self) -> int:
        """The elements of a padded volume."""
        return self.padded_depth * self.padded_height * self.padded_width * self.channels

    @property
    def taps(self) -> int:
        """The elements of a window in one channel."""
        return self.kernel_in * self.kernel_down * self.kernel_right

    def batch(self, lines: int) -> int:
        """The number of volumes with so many output rows."""
        return lines // (self.out_depth * self.out_height)

    @property
    def depth_of_rows(self) -> int:
        """The elements of a window and its 1 for the bias, for `convolve_rows`."""
        return self.channels * self.taps + 1

    def block(self, columns: int, rows: int) -> int:
        """The outputs of `rows` rows, in whole panels, for `convolve_rows`."""
        lanes = columns * LANES
        return -(-rows * self.out_width // lanes) * lanes

    def panels(self, columns: int, rows: int) -> int:
        """The elements of the scratch memory of `convolve_rows`."""
        return self.block(columns, rows) * (self.depth_of_rows + 1) + LANES

    @property
    def padded_channel(self) -> int:
        """The elements of the scratch memory of `convolve_channels`: a channel, and planes of outputs."""
        rows, columns = self._phase
        channel = self.padded_depth * rows * self.down_stride * columns * self.right_stride
        line = (self.out_height - 1) * columns + self.out_width + ROW_VECTORS * LANES
        return channel + ROW_VECTORS * LANES + PLANES * line

    @property
    def places(self) -> list[int]:
        """Where the taps of the first window lie in a padded channel, for `convolve_channels`."""
        rows, columns = self._phase
        found = []
        for front in range(0, self.kernel_in * self.in_dilation, self.in_dilation):
            for down in range(0, self.kernel_down * self.down_dilation, self.down_dilation):
                for right in range(0, self.kernel_right * self.right_dilation, self.right_dilation):
                    part = front * self.down_stride + down % self.down_stride
                    part = part * self.right_stride + right % self.right_stride
                    row = part * rows + down // self.down_stride
                    found.append(row * columns + right // self.right_stride)
        return found

    @property
    def _phase(self) -> tuple[int, int]:
        """The rows and columns of a padded plane that lie together, as `convolve_channels` stores them."""
        return -(-self.padded_height // self.down_stride), -(-self.padded_width // self.right_stride)


def pad_volumes(x: None, out: None, geometry: Array, count: int) -> Sequence[int]:
    """`compiled.volume.pad_volumes`."""
    g = Geometry.of(geometry)
    batch = count // (g.padded_depth * g.padded_height)
    return batch * g.channels * g.depth * g.height * g.width, batch * g.padded, GEOMETRY


def convolve_volumes(
    x: None, w: Array, bias: Array, parameters: Array, geometry: Array, out: None, columns: int, count: int
) -> Sequence[int]:
    """`compiled.volume.convolve_volumes`."""
    g = Geometry.of(geometry)
    padded = padded_channels(g.out_channels, columns)
    return (
        g.batch(count) * g.padded, padded * g.taps * g.channels, padded, ACTIVATION_PARAMETERS, GEOMETRY,
        count * g.out_width * g.out_channels,
    )  # fmt: skip


def convolve_channels(
    x: None, w: Array, bias: Array, parameters: Array, geometry: Array, places: Array, volume: None,
    out: None, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.volume.convolve_channels`."""
    g = Geometry.of(geometry)
    if places.tolist() != g.places:
        raise ValueError("the places of taps do not follow from the geometry")
    filters = min(count, g.channels)
    return (
        count * g.depth * g.height * g.width, filters * g.taps, filters, ACTIVATION_PARAMETERS, GEOMETRY,
        g.taps, g.padded_channel,
        count * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip


def multiply_pixels(
    x: None, w: Array, bias: Array, parameters: Array, panels: None, out: None, columns: int, channels: int,
    outputs: int, pixels: int, block: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.volume.multiply_pixels`."""
    if block % (columns * LANES):
        raise ValueError(f"a block has whole panels of {columns * LANES} pixels, got {block}")
    images = count // -(-pixels // block)
    depth = channels + 1
    return (
        images * channels * pixels, outputs * depth, block, ACTIVATION_PARAMETERS, block * depth,
        images * outputs * pixels,
    )  # fmt: skip


def convolve_rows(
    x: None, w: Array, bias: Array, parameters: Array, geometry: Array, panels: None, out: None, columns: int,
    rows: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.volume_rows.convolve_rows`."""
    g = Geometry.of(geometry)
    if rows < 1:
        raise ValueError(f"a block has at least one row, got {rows}")
    images = count // (-(-g.out_height // rows) * g.out_depth)
    volume = g.out_depth * g.out_height * g.out_width
    return (
        images * g.channels * g.depth * g.height * g.width, g.out_channels * g.depth_of_rows,
        g.block(columns, rows), ACTIVATION_PARAMETERS, GEOMETRY, g.panels(columns, rows),
        images * g.out_channels * volume,
    )  # fmt: skip


def channels_first(x: None, out: None, channels: int, planes: int, pixels: int, count: int) -> Sequence[int]:
    """`compiled.volume.channels_first`."""
    return count * pixels * channels, count * pixels * channels


def pool_lines(
    x: None, out: None, fronts: Array, backs: Array, tops: Array, bottoms: Array, empty: Array,
    factors: Array, row: None, is_max: int, lowest: float, sizes: Array, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.pool.pool_lines`."""
    *image, planes, rows, columns, before, kernel, stride, empties = sizes.tolist()
    ranges = ((fronts, backs, planes), (tops, bottoms, rows))
    for (starts, ends, _), size in zip(ranges, image[:2], strict=True):
        is_read = starts < ends
        if is_read.any() and (starts[is_read].min() < 0 or ends[is_read].max() > size):
            raise ValueError(f"ranges of windows are in the range 0 to {size}")
    if empties and (empty[:empties].min() < 0 or empty[:empties].max() >= columns):
        raise ValueError(f"empty columns are in the range 0 to {columns - 1}")
    lengths = [length for _, _, length in ranges for _ in range(2)]
    volumes = count // (planes * rows)
    return (
        volumes * math.prod(image), count * columns, *lengths, empties, planes * rows * columns + LANES,
        pool_row(image[2], columns, before, kernel, stride), 10,
    )  # fmt: skip


def pool_row(width: int, columns: int, before: int, kernel: int, stride: int) -> int:
    """The elements of the scratch memory of `pool_lines`."""
    return max(before + width, (max(columns, LANES) - 1) * stride + kernel) + LANES
