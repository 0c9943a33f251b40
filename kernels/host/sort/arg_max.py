"""arg_max and arg_min by numpy."""

from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, KernelFunction, kernel, write

_TABLE: dict[str, Callable[..., Array]] = {"arg_max": np.argmax, "arg_min": np.argmin}


def _search(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array,
        *,
        axis: int = -1,
        keepdims: bool = False,
        flatten: bool = False,
        dtype: int = -1,
        select_last_index: bool = False,
        out: Array | None = None,
    ) -> Array:
        """Paddle arg_max and arg_min: the first (or last) index of the extreme along an axis, or of all."""
        whole = flatten or X.ndim == 0
        x = np.flip(X, None if whole else axis) if select_last_index else X
        index = np.asarray(function(x, None if whole else axis, keepdims=keepdims))
        if select_last_index:
            index = (X.size if whole else X.shape[axis]) - 1 - index
        kind = np.int64 if dtype < 0 else DType.from_code(dtype).numpy
        return write(out, index.astype(kind, copy=False))

    return run


for _name, _function in _TABLE.items():
    kernel(_name)(_search(_function))
