"""layout on the host."""

import numpy as np

from lite.ir.types import Layout
from lite.ops.image_layout import array_into
from lite.plugin.kernel import Array, kernel


@kernel("layout")
@kernel("layout_once")
def layout(X: Array | None, *, to: str, out: Array | None = None) -> Array | None:
    """The axes of an image of rank 4 from NCHW to NHWC or back, in contiguous memory."""
    if X is None:
        return None
    moved = array_into(X, Layout(to))
    if out is None:
        return np.array(moved, order="C")
    np.copyto(out, moved)
    return out
