"""layout: images from NCHW to NHWC and back."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.arrays import packed
from lite.ops.image_layout import RANK, array_into
from lite.plugin.kernel import Array, kernel, write
from lite.plugin.share import PER_ELEMENT, share


@kernel("layout", "cpu", dtype=DType.FLOAT32)
def layout(X: Array, *, to: str, out: Array | None = None) -> Array:
    """The axes of an image of rank 4 in the other order, in contiguous memory."""
    moved = array_into(X, Layout(to))
    if X.ndim != RANK or X.dtype != np.float32 or 1 in (moved.shape[1] * moved.shape[2], moved.shape[3]):
        return write(out, moved) if out is not None else np.array(moved, order="C")
    from lite.kernels.cpu.compiled.layout import STRIP, turn

    image = packed(X)
    turned = np.empty(moved.shape, np.float32) if out is None else out
    batch = len(image)
    if Layout(to) is Layout.NHWC:
        source, goal = image.reshape(batch, image.shape[1], -1), turned.reshape(batch, -1, turned.shape[3])
    else:
        source, goal = image.reshape(batch, -1, image.shape[3]), turned.reshape(batch, turned.shape[1], -1)
    strips = -(-source.shape[2] // STRIP)
    share(strips, PER_ELEMENT * image.size, lambda begin, end: turn(source, goal, begin, end))
    return turned
