"""sequence_mask on the host."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("sequence_mask")
def sequence_mask(X: Array, MaxLenTensor: Array | None, *, maxlen: int, out_dtype: int) -> Array:
    """1 at the places below each length of X, else 0: [...] → [..., maxlen]."""
    most = maxlen if MaxLenTensor is None else int(MaxLenTensor.reshape(-1)[0])
    if most < 0:
        most = int(X.max(initial=0))
    dtype = DType.INT64 if out_dtype < 0 else DType.from_code(out_dtype)
    return (np.arange(most) < X[..., None]).astype(dtype.numpy)
