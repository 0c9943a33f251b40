"""unfold and im2sequence on the host: patches of images laid out as columns and as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.padded import padded, patches
from lite.kernels.host.sequence.lod import offsets_of
from lite.ops.window import paddings_by_axis, windows
from lite.plugin.kernel import Array, kernel, write


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
    """``[N, C·kh·kw, Ho·Wo]``: every window as a column."""
    found = windows(X.shape[2:], kernel_sizes, strides, dilations, paddings_by_axis(paddings), "EXPLICIT")
    outs = [int(window.out(size)) for window, size in zip(found, X.shape[2:], strict=True)]
    view = patches(padded(X, found, outs), found, outs)
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
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """Every window as a row ``[C·kh·kw]``; each image is one sequence.

    Y ``[N, 2]`` gives height and width of each image before it was scaled down by `out_stride`: windows
    cover that much of the image, or beyond, where there are zeros.
    """
    sizes = np.broadcast_to(X.shape[2:], (X.shape[0], 2))
    if Y is not None and X.shape[0] > 1:
        sizes = -(-Y.reshape(-1, 2).astype(np.int64) // np.array(out_stride))
    found = windows(X.shape[2:], kernels, strides, (1, 1), paddings_by_axis(paddings), "EXPLICIT")
    counts = np.stack(
        [[int(w.out(int(size))) for w, size in zip(found, image, strict=True)] for image in sizes]
    )
    outs = counts.max(axis=0).tolist()
    rows = patches(padded(X, found, outs), found, outs).transpose(0, 4, 5, 1, 2, 3)
    width = X.shape[1] * kernels[0] * kernels[1]
    sequences = [image[:h, :w].reshape(h * w, width) for image, (h, w) in zip(rows, counts, strict=True)]
    return np.concatenate(sequences), {"Out": [(offsets_of(len(rows) for rows in sequences),)]}
