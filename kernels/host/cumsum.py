"""cumsum on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("cumsum")
def cumsum(
    X: Array,
    *,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: Array | None = None,
) -> Array:
    """Sums of what stands before along an axis, from its end if reverse; exclusive leaves the element out.

    A tensor of one element stays as it is, even if exclusive, as in Paddle.
    """
    x = X.reshape(-1) if flatten or X.ndim == 0 else X
    if x.size == 1:
        return write(out, x.copy() if flatten else x.reshape(X.shape).copy())
    place = axis if x.ndim == X.ndim else 0
    x = np.moveaxis(x, place, -1)
    x = x[..., ::-1] if reverse else x
    sums = np.empty(x.shape, x.dtype)
    sums[..., :1] = 0
    if exclusive:
        np.cumsum(x[..., :-1], -1, dtype=x.dtype, out=sums[..., 1:])
    else:
        np.cumsum(x, -1, dtype=x.dtype, out=sums)
    sums = sums[..., ::-1] if reverse else sums
    return write(out, np.moveaxis(sums, -1, place))
