"""The sizes of a convolution in NHWC, and packing of its weights for tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lite.dataclass import dataclass
from lite.ops.image_attributes import ConvAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, PrepareContext

_ITEMS, _STRIP_TILES = 64, 8
"""Work items that threads can share, and the tiles of the shortest strips of rows that are items."""


@dataclass(frozen=True)
class Sizes:
    """A convolution of images ``[batch, height, width, channels]``; `down` and `right` are its windows."""

    batch: int
    height: int
    width: int
    channels: int
    out_height: int
    out_width: int
    out_channels: int
    groups: int
    down: Window
    right: Window

    @classmethod
    def of(cls, ctx: PrepareContext, attrs: ConvAttributes) -> Sizes:
        """The sizes of an op on images in NHWC, whose attributes describe NCHW."""
        batch, height, width, channels = ctx.inputs["Input"][0].sizes
        out_channels, *kernel, _ = ctx.inputs["Filter"][0].sizes
        down, right = attrs.windows((height, width), kernel)
        out = int(down.out(height)), int(right.out(width))
        return cls(batch, height, width, channels, *out, out_channels, attrs.groups, down, right)

    @property
    def out_shape(self) -> tuple[int, int, int, int]:
        """The output's shape."""
        return self.batch, self.out_height, self.out_width, self.out_channels

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel has one filter of its own."""
        return self.groups == self.channels == self.out_channels

    @property
    def is_pointwise(self) -> bool:
        """Whether each window is one pixel."""
        return self.groups == 1 and all(
            w.kernel == w.stride == 1 and w.before == w.after == 0 for w in (self.down, self.right)
        )

    @property
    def multiplications(self) -> int:
        """The number of products that are summed."""
        per_output = self.down.kernel * self.right.kernel * self.channels // self.groups
        return self.batch * self.out_height * self.out_width * self.out_channels * per_output

    @property
    def whole_tap(self) -> int | None:
        """The number of the tap that is inside the image in all windows; None if there is none."""
        down = _whole_tap(self.down, self.height, self.out_height)
        right = _whole_tap(self.right, self.width, self.out_width)
        return None if down is None or right is None else down * self.right.kernel + right

    @property
    def inside(self) -> float:
        """The part of the taps of all windows that is inside the image."""
        rows = _inside(self.down, self.height, self.out_height)
        return rows * _inside(self.right, self.width, self.out_width)

    def without_idle_taps(self) -> tuple[Sizes, tuple[slice, slice]]:
        """The sizes with only the taps that some window reads inside the image, and these taps.

        Of a filter with a large dilation, most are in the padding of a small image.
        """
        down = _taps_inside(self.down, self.height, self.out_height)
        right = _taps_inside(self.right, self.width, self.out_width)
        windows = _with_taps(self.down, down), _with_taps(self.right, right)
        if windows == (self.down, self.right):
            return self, (down, right)
        return replace(self, down=windows[0], right=windows[1]), (down, right)

    def geometry(self) -> Array:
        """The sizes as ``int64[15]``, in the order of `compiled.microkernels.windows`."""
        down, right = self.down, self.right
        return np.array(
            [
                *(self.height, self.width, self.channels, self.out_height, self.out_width, self.out_channels),
                *(down.kernel, right.kernel, down.stride, right.stride, down.dilation, right.dilation),
                *(down.before, right.before, self.batch),
            ],
            np.int64,
        )

    def patch(self, rows: int) -> int:
        """The elements that the windows of a tile of `rows` neighbouring pixels span."""
        span = (rows - 1) * self.right.stride + self.right.extent
        return self.down.kernel * span * self.channels

    def strips(self, rows: int) -> int:
        """The strips into which an output row is divided for threads; tiles have `rows` pixels."""
        lines = self.batch * self.out_height
        return max(min(_ITEMS // lines, self.out_width // (_STRIP_TILES * rows)), 1)


def _taps_inside(window: Window, size: int, out: int) -> slice:
    """The taps that are inside an axis of `size` elements in some of `out` windows; at least one."""
    last = (out - 1) * window.stride - window.before
    first_tap = -(-max(-last, 0) // window.dilation)
    stop = (size - 1 + window.before) // window.dilation + 1
    first = min(first_tap, window.kernel - 1)
    return slice(first, max(min(stop, window.kernel), first + 1))


def _whole_tap(window: Window, size: int, out: int) -> int | None:
    first, last = -window.before, (out - 1) * window.stride - window.before
    for tap in range(window.kernel):
        if first + tap * window.dilation >= 0 and last + tap * window.dilation < size:
            return tap
    return None


def _inside(window: Window, size: int, out: int) -> float:
    starts = np.arange(out) * window.stride - window.before
    places = starts[:, None] + np.arange(window.kernel) * window.dilation
    return float(np.mean((places >= 0) & (places < size)))


def _with_taps(window: Window, taps: slice) -> Window:
    before, after = taps.start * window.dilation, (window.kernel - taps.stop) * window.dilation
    kernel = taps.stop - taps.start
    return replace(window, kernel=kernel, before=window.before - before, after=window.after - after)


def dense_weights(weight: Array, groups: int, lanes: int) -> Array:
    """Pack a filter ``[O, kh, kw, C/groups]`` as ``float32[groups, panels, kh, kw, C/groups, lanes]``, flat.

    A panel has `lanes` output channels; the last panel of a group is padded with zeros.
    """
    outputs, *inner = weight.shape
    whole, rest = divmod(outputs // groups, lanes)
    channels = weight.reshape(groups, outputs // groups, *inner)
    panels = channels[:, : whole * lanes].reshape(groups, whole, lanes, *inner)
    packed = np.empty((groups, whole + bool(rest), *inner, lanes), np.float32)
    packed[:, :whole] = panels.transpose(0, 1, 3, 4, 5, 2)
    if rest:
        packed[:, whole, ..., :rest] = channels[:, whole * lanes :].transpose(0, 2, 3, 4, 1)
        packed[:, whole, ..., rest:] = 0
    return packed.reshape(-1)


def depthwise_weights(weight: Array, lanes: int) -> Array:
    """Pack a filter ``[C, kh, kw, 1]`` as ``float32[kh, kw, C]``, flat, with C padded to whole vectors."""
    channels, down, right, _ = weight.shape
    padded = np.zeros((down, right, -(-channels // lanes) * lanes), np.float32)
    padded[:, :, :channels] = weight[..., 0].transpose(1, 2, 0)
    return padded.reshape(-1)
