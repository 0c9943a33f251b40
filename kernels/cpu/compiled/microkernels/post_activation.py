"""Post-activations: activations that are more than a clamp, applied to rows that were just computed."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.vector import (
    absolute,
    exp,
    exp_between,
    fma,
    larger,
    load,
    load_part,
    smaller,
    splat,
    store,
    store_part,
    where_less,
    where_negative,
    with_sign,
)
from lite.kernels.cpu.tile_sizes import LANES


@inner
def sigmoid(v: Any) -> Any:
    """1 / (1 + e^-v)."""
    one = splat(1.0)
    return one / (one + exp_between(_bounded(-v, 87.0)))


@inner
def _bounded(v: Any, bound: float) -> Any:
    """`v` between −bound and bound; NaN remains."""
    return smaller(larger(v, splat(np.float32(-bound))), splat(np.float32(bound)))


@inner
def _saturated(v: Any, y: Any, bound: float) -> Any:
    """`y` between −1 and 1, and exactly these where `v` is beyond −bound or bound."""
    return where_less(splat(np.float32(bound)), absolute(v), with_sign(splat(1.0), v), _bounded(y, 1.0))


@inner
def tanh(v: Any) -> Any:
    """tanh(v) with a relative error of 3e-7: a quotient of polynomials of v², fitted for abs(v) up to 9."""
    x = _bounded(v, 9.0)
    t = x * x
    over = fma(t, splat(-8.488368729e-14), splat(5.277837812e-11))
    over = fma(over, t, splat(-2.022505187e-08))
    over = fma(over, t, splat(1.115427978e-05))
    over = fma(over, t, splat(3.103954559e-03))
    over = fma(over, t, splat(1.308400902e-01))
    over = fma(over, t, splat(1.0))
    under = fma(t, splat(2.546142128e-04), splat(2.449517301e-02))
    under = fma(under, t, splat(4.641733614e-01))
    under = fma(under, t, splat(1.0))
    return _saturated(v, x * over / under, 9.0)


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
    return where_less(v, splat(-0.5), exp(v) - splat(1.0), near)


@inner
def erf(v: Any) -> Any:
    """erf(v) with an error of 3e-7: a quotient of polynomials of v², fitted for abs(v) up to 3.92."""
    x = _bounded(v, 3.92)
    t = x * x
    over = fma(t, splat(2.034669735e-06), splat(2.874604948e-04))
    over = fma(over, t, splat(3.867935278e-03))
    over = fma(over, t, splat(5.305927489e-02))
    over = fma(over, t, splat(1.927563274e-01))
    over = fma(over, t, splat(1.128379023e00))
    under = fma(t, splat(3.806895985e-05), splat(1.188000383e-03))
    under = fma(under, t, splat(1.517153273e-02))
    under = fma(under, t, splat(1.150812525e-01))
    under = fma(under, t, splat(5.041575190e-01))
    under = fma(under, t, splat(1.0))
    return _saturated(v, x * over / under, 3.92)


@inner
def gelu_of(v: Any) -> Any:
    """v · (1 + erf(v / √2)) / 2."""
    return v * splat(0.5) * (splat(1.0) + erf(v * splat(0.7071067811865476)))


@inner
def gelu_tanh_of(v: Any) -> Any:
    """v · (1 + tanh(√(2 / π) · (v + 0.044715 · v³))) / 2."""
    inside = v * splat(0.7978845608028654) * fma(v * v, splat(0.044715), splat(1.0))
    return v * splat(0.5) * (splat(1.0) + tanh(inside))


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
        return gelu_of(v)
    if kind == GELU_TANH:
        return gelu_tanh_of(v)
    if kind == LEAKY_RELU:
        return where_negative(v, v * splat(parameter), v)
    if kind == ELU:
        return where_negative(v, splat(parameter) * expm1_of_negative(v), v)
    return v


@inner
def _of_four(kind: int, a: Any, b: Any, c: Any, d: Any, parameter: Any) -> Any:
    """A post-activation of four vectors, which need not wait for each other."""
    if kind == SIGMOID:
        return sigmoid(a), sigmoid(b), sigmoid(c), sigmoid(d)
    if kind == SWISH:
        beta = splat(parameter)
        return a * sigmoid(a * beta), b * sigmoid(b * beta), c * sigmoid(c * beta), d * sigmoid(d * beta)
    if kind == TANH:
        return tanh(a), tanh(b), tanh(c), tanh(d)
    if kind == GELU:
        return gelu_of(a), gelu_of(b), gelu_of(c), gelu_of(d)
    first, second = activation(kind, a, parameter), activation(kind, b, parameter)
    return first, second, activation(kind, c, parameter), activation(kind, d, parameter)


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
        size = pixels * channels
        whole, far = start + size // LANES * LANES, start + size // (4 * LANES) * 4 * LANES
        for n in range(start, far, 4 * LANES):
            a, b = load(out, n), load(out, n + LANES)
            c, d = load(out, n + 2 * LANES), load(out, n + 3 * LANES)
            a, b, c, d = _of_four(kind, a, b, c, d, parameter)
            store(a, out, n)
            store(b, out, n + LANES)
            store(c, out, n + 2 * LANES)
            store(d, out, n + 3 * LANES)
        for n in range(far, whole, LANES):
            store(activation(kind, load(out, n), parameter), out, n)
        rest = start + size - whole
        if rest:
            store_part(activation(kind, load_part(out, whole, rest), parameter), out, whole, rest)


@inner
def apply_to_columns(
    out: Any, start: int, pixels: int, channels: int, first: int, end: int, flags: int, parameters: Any,
    scale: Any, shift: Any,
) -> None:  # fmt: skip
    """`apply_post_activation` to channels `first` to `end`; these are all where there is a `POST_AFFINE`."""
    if end - first == channels:
        apply_post_activation(out, start, pixels, channels, flags, parameters, scale, shift)
        return
    for place in range(start + first, start + pixels * channels, channels):
        apply_post_activation(out, place, 1, end - first, flags, parameters, scale, shift)
