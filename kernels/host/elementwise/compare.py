"""Comparisons, logic, bit operations, where and where_index by numpy."""

from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.elementwise.elementwise import at_axis
from lite.plugin.kernel import Array, KernelFunction, kernel, write

_COMPARISONS: dict[str, Callable[..., Array]] = {
    "equal": np.equal,
    "greater_equal": np.greater_equal,
    "greater_than": np.greater,
    "less_equal": np.less_equal,
    "less_than": np.less,
    "not_equal": np.not_equal,
}

_BINARY: dict[str, Callable[..., Array]] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

_UNARY: dict[str, Callable[..., Array]] = {
    "bitwise_not": np.invert,
    "isfinite_v2": np.isfinite,
    "isinf_v2": np.isinf,
    "isnan_v2": np.isnan,
    "logical_not": np.logical_not,
}

_SHIFTS: dict[str, Callable[..., Array]] = {
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}


def _comparison(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array, Y: Array, *, axis: int = -1, out_dtype: int = DType.BOOL.code, out: Array | None = None
    ) -> Array:
        x, y = at_axis(X, Y, axis)
        if out is not None:
            return function(x, y, out=out, casting="unsafe")
        return np.asarray(function(x, y), DType.from_code(out_dtype).numpy)

    return run


def _binary(function: Callable[..., Array]) -> KernelFunction:
    def run(X: Array, Y: Array, *, axis: int = -1, out: Array | None = None) -> Array:
        return np.asarray(function(*at_axis(X, Y, axis), out=out))

    return run


def _unary(function: Callable[..., Array]) -> KernelFunction:
    def run(X: Array, *, out: Array | None = None) -> Array:
        return np.asarray(function(X, out=out))

    return run


def _shift(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array, Y: Array, *, axis: int = -1, is_arithmetic: bool = True, out: Array | None = None
    ) -> Array:
        """Paddle's shifts; without `is_arithmetic`, X is shifted as an unsigned number."""
        x, y = at_axis(X, Y.astype(X.dtype, copy=False), axis)
        if is_arithmetic or X.dtype.kind == "u":
            return np.asarray(function(x, y, out=out))
        bits = np.dtype(f"u{X.dtype.itemsize}")
        return write(out, np.asarray(function(x.view(bits), y.view(bits))).view(X.dtype))

    return run


for _names, _make in ((_COMPARISONS, _comparison), (_BINARY, _binary), (_UNARY, _unary), (_SHIFTS, _shift)):
    for _name, _function in _names.items():
        kernel(_name)(_make(_function))


@kernel("where")
def where(Condition: Array, X: Array, Y: Array, *, out: Array | None = None) -> Array:
    """Paddle where: X where Condition is true, else Y; all broadcast."""
    return write(out, np.where(Condition, X, Y))


@kernel("where_index")
def where_index(Condition: Array) -> Array:
    """Paddle where_index: the indices of the elements that are not 0, one per row of ``int64[n, rank]``."""
    if not Condition.ndim:
        return np.zeros((int(bool(Condition)), 0), np.int64)
    return np.argwhere(Condition).astype(np.int64, copy=False)
