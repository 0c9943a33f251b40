"""layout: images from NCHW to NHWC and back."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.arrays import packed
from lite.ops.image_layout import RANK, array_into
from lite.plugin.kernel import Array, kernel, write
from lite.plugin.share import PER_ELEMENT, share


@kernel("layout", "cpu", dtype=DType.FLOAT32)
def layout(X: Array | None, *, to: str, out: Array | None = None) -> Array | None:
    """The axes of an image of rank 4 in the other order, in contiguous memory."""
    if X is None:
        return None
    moved = array_into(X, Layout(to))
    is_plain = X.ndim != RANK or X.dtype != np.float32
    if is_plain or moved.shape[1] * moved.shape[2] <= 1 or moved.shape[3] <= 1 or not X.size:
        return np.array(moved, order="C") if out is None else write(out, moved)
    from lite.kernels.cpu.compiled.layout import STRIP, turn

    image = packed(X)
    turned = np.empty(moved.shape, np.float32) if out is None else out
    batch, channels = len(image), moved.shape[3] if Layout(to) is Layout.NHWC else moved.shape[1]
    if Layout(to) is Layout.NHWC:
        source, goal = image.reshape(batch, channels, -1), turned.reshape(batch, -1, channels)
    else:
        source, goal = image.reshape(batch, -1, channels), turned.reshape(batch, channels, -1)
    strips = -(-source.shape[2] // STRIP)
    share(strips, PER_ELEMENT * image.size, lambda begin, end: turn(source, goal, begin, end))
    return turned
