"""bitwise_left_shift and bitwise_right_shift on the host."""

from collections.abc import Callable

import numpy as np

from lite.kernels.host.elementwise.elementwise import at_axis
from lite.plugin.kernel import Array, KernelFunction, kernel, write

_TABLE: dict[str, Callable[..., Array]] = {
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}


def _shift(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array, Y: Array, *, axis: int = -1, is_arithmetic: bool = True, out: Array | None = None
    ) -> Array:
        """The bits of X moved by Y places; a logical shift (not `is_arithmetic`) ignores the sign."""
        x, y = at_axis(X, Y.astype(X.dtype, copy=False), axis)
        if is_arithmetic or X.dtype.kind == "u":
            return np.asarray(function(x, y, out=out))
        bits = np.dtype(f"u{X.dtype.itemsize}")
        return write(out, np.asarray(function(x.view(bits), y.view(bits))).view(X.dtype))

    return run


for _name, _function in _TABLE.items():
    kernel(_name)(_shift(_function))
