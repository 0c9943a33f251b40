"""Comparisons, logic and bit operations: one numpy function each."""

from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.elementwise.elementwise import at_axis
from lite.plugin.kernel import Array, KernelFunction, kernel

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


for _name, _function in _COMPARISONS.items():
    kernel(_name)(_comparison(_function))

for _name, _function in _BINARY.items():
    kernel(_name)(_binary(_function))

for _name, _function in _UNARY.items():
    kernel(_name)(_unary(_function))
