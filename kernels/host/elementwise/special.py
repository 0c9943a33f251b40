"""Special functions, and elementwise ops of two tensors that few models use."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.elementwise.elementwise import at_axis
from lite.plugin.kernel import Array, KernelFunction, kernel, write


def _digamma(x: Array) -> Array:
    """By the recurrence up to 6, then the asymptotic series; by reflection below 0."""
    reflected = x < 0.5
    z = np.where(reflected, 1 - x, x)
    total = np.zeros(z.shape)
    for _ in range(8):
        small = z < 8
        total -= np.where(small, 1 / z, 0)
        z = np.where(small, z + 1, z)
    inverse = 1 / (z * z)
    series = inverse * (
        1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132)))
    )
    total += np.log(z) - 0.5 / z - series
    return np.where(reflected, total - math.pi / np.tan(math.pi * x), total)


def _erfinv(x: Array) -> Array:
    """By Winitzki's estimate and Newton steps on erf."""
    log = np.log1p(-x * x)
    part = 2 / (math.pi * 0.147) + log / 2
    y = np.sign(x) * np.sqrt(np.sqrt(part * part - log / 0.147) - part)
    erf = np.vectorize(math.erf, otypes=[np.float64])
    for _ in range(3):
        y = np.where(np.abs(x) < 1, y - (erf(y) - x) * math.sqrt(math.pi) / 2 * np.exp(y * y), y)
    return np.where(np.abs(x) == 1, np.copysign(np.inf, x), y)


def _lgamma_of(x: float) -> float:
    if math.isnan(x):
        return x
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


_LGAMMA = np.vectorize(_lgamma_of, otypes=[np.float64])

_WIDE: dict[str, Callable[[Array], Array]] = {"digamma": _digamma, "erfinv": _erfinv, "lgamma": _LGAMMA}
"""Functions that are computed in float64."""


def _wide(function: Callable[[Array], Array]) -> KernelFunction:
    def run(X: Array, *, out: Array | None = None) -> Array:
        with np.errstate(all="ignore"):
            return write(out, np.asarray(function(X.astype(np.float64))).astype(X.dtype))

    return run


for _name, _function in _WIDE.items():
    kernel(_name)(_wide(_function))


@kernel("i0")
def i0(x: Array) -> Array:
    """Paddle i0: the modified Bessel function of the first kind, of order 0."""
    return np.i0(x.astype(np.float64)).astype(x.dtype).reshape(x.shape)


@kernel("i0e")
def i0e(x: Array) -> Array:
    """Paddle i0e: i0(x) · exp(-|x|)."""
    wide = x.astype(np.float64)
    return (np.i0(wide) * np.exp(-np.abs(wide))).astype(x.dtype).reshape(x.shape)


@kernel("logit")
def logit(X: Array, *, eps: float, out: Array | None = None) -> Array:
    """Paddle logit: log(x / (1 - x)) with x limited to [eps, 1 - eps]; NaN outside [0, 1] for an eps of 0."""
    x = widened(X)
    with np.errstate(all="ignore"):
        x = np.clip(x, eps, 1 - eps) if eps else np.where((x < 0) | (x > 1), np.nan, x)
        return write(out, np.log(x / (1 - x)).astype(X.dtype, copy=False))


@kernel("stanh")
def stanh(X: Array, *, scale_a: float, scale_b: float, out: Array | None = None) -> Array:
    """Paddle stanh: scale_b · tanh(scale_a · X)."""
    return write(out, (np.tanh(widened(X) * scale_a) * scale_b).astype(X.dtype, copy=False))


@kernel("tanh_shrink")
def tanh_shrink(X: Array, *, out: Array | None = None) -> Array:
    """Paddle tanh_shrink: X - tanh(X)."""
    return write(out, (X - np.tanh(X)).astype(X.dtype, copy=False))


_PAIRS: dict[str, Callable[[Array, Array], Array]] = {
    "elementwise_fmax": np.fmax,
    "elementwise_fmin": np.fmin,
    "elementwise_heaviside": lambda x, y: np.where(x == 0, y, np.where(x > 0, 1, np.where(x < 0, 0, x))),
}


def _of_pair(function: Callable[[Array, Array], Array]) -> KernelFunction:
    def run(X: Array, Y: Array, *, axis: int = -1) -> Array:
        return np.asarray(function(*at_axis(X, Y, axis))).astype(X.dtype, copy=False)

    return run


for _name, _pair in _PAIRS.items():
    kernel(_name)(_of_pair(_pair))


@kernel("copysign")
def copysign(x: Array, y: Array) -> Array:
    """Paddle copysign: |x| with the sign of y."""
    return np.asarray(np.copysign(x, y)).astype(x.dtype, copy=False)


@kernel("nextafter")
def nextafter(x: Array, y: Array) -> Array:
    """Paddle nextafter: the next number from x towards y."""
    return np.asarray(np.nextafter(x, y)).astype(x.dtype, copy=False)


@kernel("lerp")
def lerp(X: Array, Y: Array, Weight: Array) -> Array:
    """Paddle lerp: X + Weight · (Y - X)."""
    return np.asarray(X + Weight.astype(X.dtype, copy=False) * (Y - X)).astype(X.dtype, copy=False)


@kernel("isclose")
def isclose(
    Input: Array,
    Other: Array,
    Rtol: Array | None,
    Atol: Array | None,
    *,
    rtol: str,
    atol: str,
    equal_nan: bool,
) -> Array:
    """Paddle isclose: whether |Input - Other| ≤ atol + rtol · |Other|; `equal_nan`: or both are NaN."""
    relative, absolute = (
        float(text) if source is None else float(source.reshape(-1)[0])
        for text, source in ((rtol, Rtol), (atol, Atol))
    )
    return np.asarray(
        np.isclose(Input.astype(np.float64), Other.astype(np.float64), relative, absolute, equal_nan)
    )


@kernel("allclose")
def allclose(
    Input: Array,
    Other: Array,
    Rtol: Array | None,
    Atol: Array | None,
    *,
    rtol: str,
    atol: str,
    equal_nan: bool,
) -> Array:
    """Paddle allclose: whether isclose holds for all elements."""
    return np.asarray(isclose(Input, Other, Rtol, Atol, rtol=rtol, atol=atol, equal_nan=equal_nan).all())


@kernel("equal_all")
def equal_all(X: Array, Y: Array) -> Array:
    """Paddle equal_all: whether X and Y have the same shape and elements."""
    return np.asarray(np.array_equal(X, Y))
