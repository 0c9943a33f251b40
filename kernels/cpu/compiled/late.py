"""Activations that are more than a clamp, on rows that were just computed."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.vector import (
    exp,
    fma,
    load_part,
    splat,
    store_part,
    where_negative,
)
from lite.kernels.cpu.flags import (
    ELU,
    GELU,
    GELU_TANH,
    KIND,
    LATE_AFFINE,
    LEAKY_RELU,
    PARAMETER,
    SIGMOID,
    SWISH,
    TANH,
)
from lite.kernels.cpu.tile_sizes import LANES


@inner
def sigmoid(v: Any) -> Any:
    """1 / (1 + e^-v)."""
    one = splat(1.0)
    return one / (one + exp(splat(0.0) - v))


@inner
def tanh(v: Any) -> Any:
    """The hyperbolic tangent; a series near 0, where the difference of exponentials loses digits."""
    zero, one = splat(0.0), splat(1.0)
    size = where_negative(v, zero - v, v)
    square = v * v
    series = splat(-5.70498872745e-3)
    series = fma(series, square, splat(2.06390887954e-2))
    series = fma(series, square, splat(-5.37397155531e-2))
    series = fma(series, square, splat(1.33314422036e-1))
    series = fma(series, square, splat(-3.33332819422e-1))
    near = fma(series * square, v, v)
    far = one - splat(2.0) / (exp(size + size) + one)
    far = where_negative(v, zero - far, far)
    return where_negative(size - splat(0.625), near, far)


@inner
def erf(v: Any) -> Any:
    """The error function, to about 2e-7: Abramowitz and Stegun, formula 7.1.26."""
    zero, one = splat(0.0), splat(1.0)
    size = where_negative(v, zero - v, v)
    t = one / fma(size, splat(0.3275911), one)
    series = fma(t, splat(1.061405429), splat(-1.453152027))
    series = fma(series, t, splat(1.421413741))
    series = fma(series, t, splat(-0.284496736))
    series = fma(series, t, splat(0.254829592))
    found = one - series * t * exp(zero - size * size)
    return where_negative(v, zero - found, found)


@inner
def activation(kind: int, v: Any, parameter: Any) -> Any:
    """The activation of a kind, of a vector."""
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
        return where_negative(v, splat(parameter) * (exp(v) - splat(1.0)), v)
    return v


@inner
def finish_late(
    out: Any, start: int, pixels: int, channels: int, flags: int, parameters: Any, scale: Any, shift: Any
) -> None:
    """Apply an activation and what follows it to `pixels` pixels of `out`, from flat index `start` on."""
    kind = flags >> KIND
    parameter = parameters[PARAMETER]
    if flags & LATE_AFFINE:
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
