"""stack_array on the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("stack_array")
def stack_array(X: list[Array], *, axis: int, dtype: int, shape: Sequence[int], reverse: bool) -> Array:
    """The elements along a new axis, the last one first with `reverse`.

    `dtype` and `shape` are those of the elements, for when there is none.
    """
    if X:
        return np.stack(X[::-1] if reverse else X, axis=axis)
    sizes = list(shape)
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 0)
    return np.empty(sizes, DType.from_code(dtype).numpy if dtype >= 0 else np.float32)
