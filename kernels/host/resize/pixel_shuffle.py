"""pixel_shuffle, shuffle_channel and temporal_shift on the host."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("pixel_shuffle")
def pixel_shuffle(X: Array, *, upscale_factor: int, data_format: str, out: Array | None = None) -> Array:
    """Squares of `upscale_factor`² channels become squares of pixels."""
    r = upscale_factor
    if data_format == "NHWC":
        n, h, w, c = X.shape
        blocks = X.reshape(n, h, w, r, r, c // r**2).transpose(0, 1, 3, 2, 4, 5)
        shape = (n, h * r, w * r, c // r**2)
    else:
        n, c, h, w = X.shape
        blocks = X.reshape(n, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
        shape = (n, c // r**2, h * r, w * r)
    return write(out, np.array(blocks, order="C").reshape(shape))


@kernel("shuffle_channel")
def shuffle_channel(X: Array, *, group: int, out: Array | None = None) -> Array:
    """The first channel of every group, then the second of every group, and so on."""
    n, c, h, w = X.shape
    shuffled = X.reshape(n, group, c // group, h, w).swapaxes(1, 2)
    if out is None or not out.flags.c_contiguous:
        return write(out, np.array(shuffled, order="C").reshape(X.shape))
    out.reshape(shuffled.shape)[...] = shuffled
    return out


@kernel("temporal_shift")
def temporal_shift(
    X: Array, *, seg_num: int, shift_ratio: float, data_format: str, out: Array | None = None
) -> Array:
    """Of every `seg_num` successive images, the first channels move one on, the next one back.

    `shift_ratio` of the channels move on and as many back; what moves in from outside is 0.
    """
    axis = 3 if data_format == "NHWC" else 1
    x = np.moveaxis(X, axis, 1)
    first, second = int(x.shape[1] * shift_ratio), int(x.shape[1] * 2 * shift_ratio)
    frames = x.reshape(-1, seg_num, *x.shape[1:])
    moved = np.zeros_like(frames)
    moved[:, 1:, :first] = frames[:, :-1, :first]
    moved[:, :-1, first:second] = frames[:, 1:, first:second]
    moved[:, :, second:] = frames[:, :, second:]
    return write(out, np.moveaxis(moved.reshape(x.shape), 1, axis))
