"""Post-activations: activations that are more than a clamp, applied to rows that were just computed."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import (
    ELU,
    GELU,
    GELU_TANH,
    KIND,
    LEAKY_RELU,
    PARAMETER,
    POST_AFFINE,
    SIGMOID,
    SWISH,
    TANH,
)
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.vector import (
    exp,
    fma,
    load_part,
    splat,
    store_part,
    where_negative,
)
from lite.kernels.cpu.tile_sizes import LANES


@inner
def sigmoid(v: Any) -> Any:
    """1 / (1 + e^-v)."""
    one = splat(1.0)
    return one / (one + exp(splat(0.0) - v))


@inner
def tanh(v: Any) -> Any:
    """tanh(v): by exponentials, and below 0.625, where their difference loses digits, by a polynomial.

    The coefficients are from ``tanhf`` of the Cephes library (S. Moshier 1992).
    """
    zero, one = splat(0.0), splat(1.0)
    magnitude = where_negative(v, zero - v, v)
    square = v * v
    series = splat(-5.70498872745e-3)
    series = fma(series, square, splat(2.06390887954e-2))
    series = fma(series, square, splat(-5.37397155531e-2))
    series = fma(series, square, splat(1.33314422036e-1))
    series = fma(series, square, splat(-3.33332819422e-1))
    near = fma(series * square, v, v)
    far = one - splat(2.0) / (exp(magnitude + magnitude) + one)
    far = where_negative(v, zero - far, far)
    return where_negative(magnitude - splat(0.625), near, far)


@inner
def expm1_of_negative(v: Any) -> Any:
    """e^v − 1 of numbers below 0: above −0.5, where the difference loses digits, by the series of e^v.

    Undefined for numbers above 0.
    """
    series = splat(2.7557319e-6)
    series = fma(series, v, splat(2.4801587e-5))
    series = fma(series, v, splat(1.9841270e-4))
    series = fma(series, v, splat(1.3888889e-3))
    series = fma(series, v, splat(8.3333333e-3))
    series = fma(series, v, splat(4.1666667e-2))
    series = fma(series, v, splat(1.6666667e-1))
    series = fma(series, v, splat(0.5))
    near = fma(series * v, v, v)
    return where_negative(v + splat(0.5), exp(v) - splat(1.0), near)


@inner
def erf(v: Any) -> Any:
    """erf(v) with an error of about 2e-7 (M. Abramowitz and I. Stegun 1964, formula 7.1.26)."""
    zero, one = splat(0.0), splat(1.0)
    magnitude = where_negative(v, zero - v, v)
    t = one / fma(magnitude, splat(0.3275911), one)
    series = fma(t, splat(1.061405429), splat(-1.453152027))
    series = fma(series, t, splat(1.421413741))
    series = fma(series, t, splat(-0.284496736))
    series = fma(series, t, splat(0.254829592))
    result = one - series * t * exp(zero - magnitude * magnitude)
    return where_negative(v, zero - result, result)


@inner
def activation(kind: int, v: Any, parameter: Any) -> Any:
    """A post-activation of a vector; `kind` is one of `codes`."""
    if kind == SIGMOID:
        return sigmoid(v)
    if kind == SWISH:
        return v * sigmoid(v * splat(parameter))
    if kind == TANH:
        return tanh(v)
    if kind == GELU:
        return v * splat(0.5) * (splat(1.0) + erf(v * splat(0.7071067811865476)))
    if kind == GELU_TANH:
        inside = v * splat(0.7978845608028654) * fma(v * v, splat(0.044715), splat(1.0))
        return v * splat(0.5) * (splat(1.0) + tanh(inside))
    if kind == LEAKY_RELU:
        return where_negative(v, v * splat(parameter), v)
    if kind == ELU:
        return where_negative(v, splat(parameter) * expm1_of_negative(v), v)
    return v


@inner
def apply_post_activation(
    out: Any, start: int, pixels: int, channels: int, flags: int, parameters: Any, scale: Any, shift: Any
) -> None:
    """Apply a post-activation, and `POST_AFFINE`, to `pixels` pixels of `out` from flat index `start` on."""
    kind = flags >> KIND
    parameter = parameters[PARAMETER]
    if flags & POST_AFFINE:
        for pixel in range(pixels):
            place = start + pixel * channels
            for channel in range(0, channels, LANES):
                count = channels - channel
                v = activation(kind, load_part(out, place + channel, count), parameter)
                v = fma(v, load_part(scale, channel, count), load_part(shift, channel, count))
                store_part(v, out, place + channel, count)
    else:
        for n in range(0, pixels * channels, LANES):
            count = pixels * channels - n
            store_part(activation(kind, load_part(out, start + n, count), parameter), out, start + n, count)
