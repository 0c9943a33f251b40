"""deformable_conv by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.resize.grid_sampler import bilinear
from lite.ops.window import windows
from lite.plugin.kernel import Array, kernel, write


@kernel("deformable_conv")
def deformable_conv(
    Input: Array,
    Offset: Array,
    Mask: Array | None,
    Filter: Array,
    Bias: Array | None,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
    groups: int,
    deformable_groups: int,
    out: Array | None = None,
) -> Array:
    """Paddle deformable_conv: a convolution whose taps are moved by Offset and weighted by Mask.

    Input is ``float[N, C, H, W]``, Filter ``[O, C/groups, kh, kw]``, Offset ``[N, deformable_groups·kh·kw·2,
    Ho, Wo]`` has (down, right) in pixels, Mask half as many channels.  X. Zhu et al., "Deformable ConvNets
    v2", 2019; version 1 (J. Dai et al., 2017) has no Mask.
    """
    batch, channels, *image = Input.shape
    outputs, _, *kernel_sizes = Filter.shape
    over = windows(image, kernel_sizes, strides, dilations, paddings, "EXPLICIT")
    height, width = (int(w.out(size)) for w, size in zip(over, image, strict=True))
    down, right = (
        np.arange(out_size)[:, None] * w.stride - w.before + np.arange(w.kernel) * w.dilation
        for w, out_size in zip(over, (height, width), strict=True)
    )
    offset = widened(Offset).reshape(batch, deformable_groups, *kernel_sizes, 2, height, width)
    rows = offset[:, :, :, :, 0] + down.T.reshape(-1, 1, height, 1).astype(offset.dtype)
    columns = offset[:, :, :, :, 1] + right.T.reshape(1, -1, 1, width).astype(offset.dtype)
    split = widened(Input).reshape(batch, deformable_groups, -1, *image)
    taps = bilinear(split, *(at.reshape(batch, deformable_groups, -1) for at in (rows, columns)))
    if Mask is not None:
        taps *= widened(Mask).reshape(batch, deformable_groups, 1, -1)
    per_group = channels // groups * kernel_sizes[0] * kernel_sizes[1]
    weight = widened(Filter).reshape(groups, outputs // groups, per_group)
    result = np.matmul(weight, taps.reshape(batch, groups, per_group, height * width))
    result = result.reshape(batch, outputs, height, width)
    if Bias is not None:
        result += Bias.reshape(-1, 1, 1)
    return write(out, result.astype(Input.dtype, copy=False))
