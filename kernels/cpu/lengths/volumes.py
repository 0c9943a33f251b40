"""Lengths for convolutions and pooling of volumes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lite.kernels.cpu.lengths.index import FAILURES
from lite.kernels.cpu.lengths.products import padded_channels
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.kernels.cpu.tile_sizes import (
    FEW_PIXEL_CHANNELS,
    LANES,
    PIXEL_CHANNELS,
    PIXEL_VECTORS,
    PLANES,
    ROW_VECTORS,
)
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
        return self.parted_channel + ROW_VECTORS * LANES + PLANES * (self.long_row + ROW_VECTORS * LANES)

    @property
    def parted_channel(self) -> int:
        """The elements of a padded channel whose rows and columns are parted."""
        return self.padded_depth * self.parted_plane

    @property
    def parted_plane(self) -> int:
        """The elements of a plane of a parted channel."""
        rows, columns = self._phase
        return rows * self.down_stride * columns * self.right_stride

    @property
    def long_row(self) -> int:
        """The elements of a plane of outputs as one row, with those between its rows."""
        return (self.out_height - 1) * self._phase[1] + self.out_width

    @property
    def parted(self) -> int:
        """The elements of all parted channels, and of what the last vectors read after them."""
        return self.channels * self.parted_channel + ROW_VECTORS * LANES

    @property
    def places(self) -> list[int]:
        """Where the taps of the first window lie in a parted channel."""
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
    def all_places(self) -> list[int]:
        """Where the taps of the first window lie in all parted channels."""
        return [n * self.parted_channel + place for n in range(self.channels) for place in self.places]

    def lines(self, block: int) -> int:
        """The elements of the scratch memory of `convolve_pixels`: the long rows of a block of channels."""
        return block * (self.long_row + ROW_VECTORS * LANES)

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


def part_channels(x: None, volume: None, geometry: Array, count: int) -> Sequence[int]:
    """`compiled.volume_pixels.part_channels`."""
    g = Geometry.of(geometry)
    return count * g.depth * g.height * g.width, count * g.parted_channel, GEOMETRY


def convolve_pixels(
    x: None, w: Array, bias: Array, parameters: Array, geometry: Array, places: Array, steps: Array,
    lines: None, out: None, block: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.volume_pixels.convolve_pixels`."""
    g = Geometry.of(geometry)
    if block not in (FEW_PIXEL_CHANNELS, PIXEL_CHANNELS):
        raise ValueError(f"a block has {FEW_PIXEL_CHANNELS} or {PIXEL_CHANNELS} channels, got {block}")
    blocks = -(-g.out_channels // block)
    batch, padded = count // (blocks * g.out_depth), blocks * block
    if places.min() < 0 or min(steps.tolist()) < 0:
        raise ValueError("places and steps are 0 or more")
    first, channel, *inner = steps.tolist()
    sizes = (g.out_depth, g.out_height, g.out_width)
    last = first + (batch * g.out_channels - 1) * channel
    last += sum((size - 1) * step for size, step in zip(sizes, inner, strict=True))
    # The last window of the last image, with what the last vectors read after it.
    start = (batch - 1) * g.channels * g.parted_channel + (g.out_depth - 1) * g.in_stride * g.parted_plane
    read = start + g.long_row + ROW_VECTORS * LANES + int(places.max())
    return (
        read, padded * len(places), padded, ACTIVATION_PARAMETERS, GEOMETRY, g.channels * g.taps, 5,
        g.lines(block),        last + 1,
    )  # fmt: skip


def convolve_points(
    x: None, w: Array, bias: Array, parameters: Array, places: Array, out: None, channels: int, outputs: int,
    pixels: int, group: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.volume_pixels.convolve_points`."""
    if outputs < PIXEL_CHANNELS or pixels < PIXEL_VECTORS * LANES:
        raise ValueError(f"a tile is larger than {outputs} channels of {pixels} outputs")
    if places.tolist() != list(range(0, channels * pixels, pixels)):
        raise ValueError("the places of channels do not follow from their size")
    images = count // -(-pixels // group)
    blocks = -(-outputs // PIXEL_CHANNELS)
    return (
        images * channels * pixels, blocks * PIXEL_CHANNELS * channels, outputs, ACTIVATION_PARAMETERS,
        channels, images * outputs * pixels,
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
    *image, planes, rows, columns, before, kernel, stride, empties, depth_step, line_step, step = (
        sizes.tolist()
    )
    if min(depth_step, line_step, step) < 1:
        raise ValueError(f"dilations are positive, got {depth_step}, {line_step}, {step}")
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
        pool_row(image[2], columns, before, step * (kernel - 1) + 1, stride), 13,
    )  # fmt: skip


def pool_row(width: int, columns: int, before: int, extent: int, stride: int) -> int:
    """The elements of the scratch memory of `pool_lines`, for windows that span `extent` elements."""
    return max(before + width, (max(columns, LANES) - 1) * stride + extent) + LANES


def pool_places(
    x: None, out: None, indices: None, fronts: Array, planes: Array, tops: Array, lines: Array, lefts: Array,
    elements: Array, sizes: Array, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.pool_places.pool_places`, and that with indices of 32 bits."""
    image, (out_depth, rows, columns), dilations = (sizes[n : n + 3].tolist() for n in (0, 3, 6))
    ranges = ((fronts, planes), (tops, lines), (lefts, elements))
    for (starts, counts), size, dilation in zip(ranges, image, dilations, strict=True):
        lasts = (starts + (counts - 1) * dilation)[counts != 0]
        if counts.min() < 0 or dilation < 1 or (len(lasts) and not 0 <= starts.min() <= lasts.max() < size):
            raise ValueError(f"windows are in the range 0 to {size}")
    volumes, results = count // (out_depth * rows), count * columns
    return (
        volumes * math.prod(image), results, results, out_depth, out_depth, rows, rows, columns, columns, 13,
    )  # fmt: skip


def unpool(
    x: None, indices: None, out: None, failures: Array, elements: int, size: int, count: int
) -> Sequence[int]:
    """`compiled.pool_places.unpool`."""
    if count != 1:
        raise ValueError(f"there is one work item, got {count}")
    return elements, elements, size, FAILURES
