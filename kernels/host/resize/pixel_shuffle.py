"""Pixels and channels in other places: pixel_shuffle, shuffle_channel, temporal_shift, depth_to_space."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("pixel_shuffle")
def pixel_shuffle(X: Array, *, upscale_factor: int, data_format: str, out: Array | None = None) -> Array:
    """Paddle pixel_shuffle: channels of ``[N, C·r·r, H, W]`` as squares of pixels: ``[N, C, r·H, r·W]``.

    `data_format` NHWC has the channels last, in the same order.  W. Shi et al., "Real-Time Single Image and
    Video Super-Resolution Using an Efficient Sub-Pixel Convolutional Neural Network", 2016.
    """
    r = upscale_factor
    if data_format == "NHWC":
        n, h, w, c = X.shape
        blocks = X.reshape(n, h, w, c // r**2, r, r).transpose(0, 1, 4, 2, 5, 3)
        shape = (n, h * r, w * r, c // r**2)
    else:
        n, c, h, w = X.shape
        blocks = X.reshape(n, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
        shape = (n, c // r**2, h * r, w * r)
    return write(out, np.array(blocks, order="C").reshape(shape))


@kernel("shuffle_channel")
def shuffle_channel(X: Array, *, group: int, out: Array | None = None) -> Array:
    """Paddle shuffle_channel: the first channel of each group of ``X[N, C, H, W]``, then the second ones, ….

    X. Zhang et al., "ShuffleNet", 2018.
    """
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
    """Paddle temporal_shift: moves part of the channels of ``X[N·seg_num, C, H, W]`` (or NHWC) in time.

    The first `shift_ratio` of the channels move to the next of `seg_num` images, as many to the previous
    one, and zeros come in from outside.  J. Lin et al., "TSM: Temporal Shift Module", 2019.
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


@kernel("depth_to_space")
def depth_to_space(X: Array, *, blocksize: int, out: Array | None = None) -> Array:
    """ONNX DepthToSpace: channels of ``[N, r·r·C, H, W]`` as squares of pixels: ``[N, C, r·H, r·W]``."""
    n, c, h, w = X.shape
    r = blocksize
    blocks = X.reshape(n, r, r, c // r**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    return write(out, np.array(blocks, order="C").reshape(n, c // r**2, h * r, w * r))


@kernel("space_to_depth")
def space_to_depth(X: Array, *, blocksize: int, channels_first: bool, out: Array | None = None) -> Array:
    """ONNX SpaceToDepth: squares of pixels of ``[N, C, r·H, r·W]`` as channels: ``[N, r·r·C, H, W]``.

    With `channels_first`, the result is ``[N, C·r·r, H, W]``.
    """
    n, c, h, w = X.shape
    r = blocksize
    blocks = X.reshape(n, c, h // r, r, w // r, r)
    moved = blocks.transpose(0, 1, 3, 5, 2, 4) if channels_first else blocks.transpose(0, 3, 5, 1, 2, 4)
    return write(out, np.array(moved, order="C").reshape(n, c * r**2, h // r, w // r))
