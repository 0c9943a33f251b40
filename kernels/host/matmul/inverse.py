"""inverse on the host."""

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write


@kernel("inverse")
def inverse(Input: Array, *, out: Array | None = None) -> Array:
    """The inverses of the matrices in the last two axes; a singular one is an error."""
    return write(out, np.linalg.inv(widened(Input)).astype(Input.dtype, copy=False))
