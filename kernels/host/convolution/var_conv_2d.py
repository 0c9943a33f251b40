"""var_conv_2d on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.padded import padded, patches
from lite.kernels.host.sequence.lod import need_lod, offsets_of, starts_and_lengths
from lite.ops.window import Window
from lite.plugin.kernel import Array, kernel


@kernel("var_conv_2d")
def var_conv_2d(
    X: Array,
    ROW: Array,
    COLUMN: Array,
    W: Array,
    *,
    InputChannel: int,
    KernelH: int,
    KernelW: int,
    StrideH: int,
    StrideW: int,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array, Array], dict[str, list[Lod]]]:
    """Convolution of each sequence of `X`, an image ``[InputChannel, h, w]``, padded by half the kernel.

    h and w are the lengths of the sequences of ROW and COLUMN.  Both outputs are sequences of single
    elements: Out the images ``[OutputChannel, Ho, Wo]``, Col the columns that W ``[O, C·kh·kw]`` is
    multiplied with.
    """
    starts, _ = starts_and_lengths(need_lod("var_conv_2d", "X", lods["X"][0])[0])
    _, heights = starts_and_lengths(need_lod("var_conv_2d", "ROW", lods["ROW"][0])[0])
    _, widths = starts_and_lengths(need_lod("var_conv_2d", "COLUMN", lods["COLUMN"][0])[0])
    pixels = X.reshape(-1)
    found = [Window(k, s, 1, k // 2, 0) for k, s in ((KernelH, StrideH), (KernelW, StrideW))]
    columns = [np.empty((W.shape[1], 0), X.dtype)]
    for start, height, width in zip(starts, heights, widths, strict=True):
        image = pixels[start : start + InputChannel * height * width].reshape(InputChannel, height, width)
        outs = [-(-int(size) // w.stride) for w, size in zip(found, (height, width), strict=True)]
        if image.size:
            columns.append(patches(padded(image, found, outs), found, outs).reshape(W.shape[1], -1))
        else:
            columns.append(columns[0])
    sums = [np.matmul(W, column) for column in columns]
    results = [np.concatenate([part.reshape(-1) for part in parts])[:, None] for parts in (sums, columns)]
    levels = [offsets_of(part.size for part in parts[1:]) for parts in (sums, columns)]
    return (results[0], results[1]), {"Out": [(levels[0],)], "Col": [(levels[1],)]}
