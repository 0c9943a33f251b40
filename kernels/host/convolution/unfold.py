"""Windows of images as columns and rows, and back: unfold, im2sequence and col2im."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.padded import padded, patches, tap_slices, without_border
from lite.ops.window import onnx_windows, paddings_by_axis, windows
from lite.plugin.kernel import Array, kernel, write
from lite.plugin.kernel.lod import Lods, offsets_of


@kernel("unfold")
def unfold(
    X: Array,
    *,
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
    out: Array | None = None,
) -> Array:
    """Paddle unfold: every window of ``X[N, C, H, W]`` as a column of ``[N, C·kh·kw, Ho·Wo]``."""
    over = windows(X.shape[2:], kernel_sizes, strides, dilations, paddings_by_axis(paddings), "EXPLICIT")
    outs = [int(window.out(size)) for window, size in zip(over, X.shape[2:], strict=True)]
    view = patches(padded(X, over, outs), over, outs)
    n, c, kh, kw, height, width = view.shape
    return write(out, np.array(view, order="C").reshape(n, c * kh * kw, height * width))


@kernel("im2sequence")
def im2sequence(
    X: Array,
    Y: Array | None,
    *,
    kernels: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    out_stride: Sequence[int],
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle im2sequence: every window of ``X[N, C, H, W]`` as a row ``[C·kh·kw]``; an image is a sequence.

    ``Y[N, 2]`` has the height and width of each image before it was scaled down by `out_stride`.  The
    windows cover that size divided by `out_stride`; elements outside X are zeros.
    """
    sizes = np.broadcast_to(X.shape[2:], (X.shape[0], 2))
    if Y is not None and X.shape[0] > 1:
        sizes = -(-Y.reshape(-1, 2).astype(np.int64) // np.array(out_stride))
    over = windows(X.shape[2:], kernels, strides, (1, 1), paddings_by_axis(paddings), "EXPLICIT")
    counts = np.stack(
        [[int(w.out(int(size))) for w, size in zip(over, image, strict=True)] for image in sizes]
    )
    outs = counts.max(axis=0).tolist()
    rows = patches(padded(X, over, outs), over, outs).transpose(0, 4, 5, 1, 2, 3)
    width = X.shape[1] * kernels[0] * kernels[1]
    sequences = [image[:h, :w].reshape(h * w, width) for image, (h, w) in zip(rows, counts, strict=True)]
    return np.concatenate(sequences), {"Out": [(offsets_of(len(rows) for rows in sequences),)]}


@kernel("col2im")
def col2im(
    X: Array,
    ImageShape: Array,
    BlockShape: Array,
    *,
    dilations: Sequence[int],
    pads: Sequence[int],
    strides: Sequence[int],
) -> Array:
    """ONNX Col2Im: columns ``X[N, C·block, positions]`` added up in images ``[N, C, *ImageShape]``."""
    image, block = ([int(size) for size in sizes] for sizes in (ImageShape, BlockShape))
    over = onnx_windows(image, block, strides, dilations, pads, "NOTSET")
    counts = [int(w.out(size)) for w, size in zip(over, image, strict=True)]
    channels = X.shape[1] // math.prod(block)
    taps = X.reshape(len(X), channels, math.prod(block), *counts)
    bordered = [w.before + size + w.after for w, size in zip(over, image, strict=True)]
    out = np.zeros((len(X), channels, *bordered), X.dtype)
    for tap, index in enumerate(tap_slices(over, counts)):
        out[index] += taps[:, :, tap]
    return without_border(out, over, image)
