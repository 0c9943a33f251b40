"""Elementwise mathematical functions of one tensor: one numpy function each."""

from collections.abc import Callable

import numpy as np

from lite.plugin.kernel import Array, KernelFunction, kernel

_REAL: dict[str, Callable[..., Array]] = {
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "negative": np.negative,
    "reciprocal": np.reciprocal,
    "sign": np.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
}

_ROUNDING: dict[str, Callable[..., Array]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "rint": np.rint,
    "trunc": np.trunc,
}


def _real(function: Callable[..., Array]) -> KernelFunction:
    def run(X: Array, *, out: Array | None = None) -> Array:
        # Poles and arguments outside the domain give infinities and NaN, as in Paddle.
        with np.errstate(all="ignore"):
            return function(X, out=np.empty(X.shape, X.dtype) if out is None else out)

    return run


def _rounding(function: Callable[..., Array]) -> KernelFunction:
    def run(X: Array, *, out: Array | None = None) -> Array:
        out = np.empty(X.shape, X.dtype) if out is None else out
        return np.positive(X, out=out) if X.dtype.kind in "iu" else function(X, out=out)

    return run


def _round(X: Array, *, out: Array | None = None) -> Array:
    """The nearest integer; halves are rounded away from zero, unlike in numpy."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.dtype.kind in "iu":
        return np.positive(X, out=out)
    whole = np.trunc(X)
    half = np.abs(X - whole) >= 0.5
    np.add(whole, np.copysign(half, X), out=out, casting="same_kind")
    return out


def _rsqrt(X: Array, *, out: Array | None = None) -> Array:
    out = np.empty(X.shape, X.dtype) if out is None else out
    with np.errstate(all="ignore"):
        np.sqrt(X, out=out)
        return np.reciprocal(out, out=out)


for _name, _function in _REAL.items():
    kernel(_name)(_real(_function))

for _name, _function in _ROUNDING.items():
    kernel(_name)(_rounding(_function))

kernel("round")(_round)
kernel("rsqrt")(_rsqrt)
