"""layer_norm on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.standardize import scale_and_shift, standardize
from lite.plugin.kernel import Array, kernel, write


@kernel("layer_norm")
def layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    begin_norm_axis: int,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, Array, Array]:
    """Mean 0 and variance 1 over the axes from `begin_norm_axis` on, then · Scale + Bias."""
    rows = int(np.prod(X.shape[:begin_norm_axis], dtype=np.int64))
    columns = int(np.prod(X.shape[begin_norm_axis:], dtype=np.int64))
    result, mean, variance = standardize(X.reshape(rows, columns), epsilon)
    scale_and_shift(result, Scale, Bias, (1, columns))
    buffers = out or (None, None, None)
    return (
        write(buffers[0], result.reshape(X.shape).astype(X.dtype, copy=False)),
        write(buffers[1], mean),
        write(buffers[2], variance),
    )
