"""Functions of vectors that elementwise ops use, alone and in the loops of fusion_group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.emit_bytes import quantized
from lite.kernels.cpu.compiled.jit.vector import (
    VECTOR,
    absolute,
    exp_below_88,
    exp_between,
    fma,
    larger,
    maximum,
    smaller,
    splat,
    where_less,
    with_sign,
)
from lite.kernels.cpu.compiled.microkernels.post_activation import tanh


def _by_llvm(name: str) -> Any:
    """A function of one vector that is an intrinsic of LLVM."""

    def typed(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit.by_llvm(builder, name, *args)

        return VECTOR(VECTOR), generate

    return instruction(typed)


ceil = _by_llvm("ceil")
floor = _by_llvm("floor")
sqrt = _by_llvm("sqrt")


@inner
def minimum(a: Any, b: Any) -> Any:
    """min(a, b); NaN where either is NaN."""
    return -maximum(-a, -b)


@inner
def erf_of(v: Any) -> Any:
    """erf(v) within 1 unit in the last place: a polynomial near 0, and 1 − e^p with a polynomial p elsewhere.

    The coefficients are N. Juffa's, for a split at 475/512.
    """
    size = absolute(v)
    # From here on erf is 1 in single precision.
    t = smaller(size, splat(4.0))
    square = t * t
    power = fma(splat(-1.72853470e-5), t, splat(3.83197126e-4))
    power = fma(power, square, fma(splat(-3.88396438e-3), t, splat(2.42546219e-2)))
    power = fma(power, t, splat(-1.06777877e-1))
    power = fma(power, t, splat(-6.34846687e-1))
    power = fma(power, t, splat(-1.28717512e-1))
    power = fma(power, t, -t)
    far = splat(1.0) - exp_between(power)
    near = fma(splat(-5.96761703e-4), square, splat(4.99119423e-3))
    near = fma(near, square, splat(-2.67681349e-2))
    near = fma(near, square, splat(1.12819925e-1))
    near = fma(near, square, splat(-3.76125336e-1))
    near = fma(near, square, splat(1.28379166e-1))
    near = fma(near, v, v)
    return where_less(size, splat(0.927734375), near, with_sign(far, v))


@inner
def log1p_of_fraction(t: Any) -> Any:
    """log(1 + t) for t from 0 to 1, with a relative error of about 1e-7.

    The coefficients are from ``logf`` of the Cephes library (S. Moshier 1992), for numbers from √½ to √2:
    where 1 + t is larger, it is halved.
    """
    root = splat(np.float32(0.41421356))
    f = where_less(t, root, t, (t - splat(1.0)) * splat(0.5))
    square = f * f
    series = splat(7.0376836292e-2)
    series = fma(series, f, splat(-1.1514610310e-1))
    series = fma(series, f, splat(1.1676998740e-1))
    series = fma(series, f, splat(-1.2420140846e-1))
    series = fma(series, f, splat(1.4249322787e-1))
    series = fma(series, f, splat(-1.6668057665e-1))
    series = fma(series, f, splat(2.0000714765e-1))
    series = fma(series, f, splat(-2.4999993993e-1))
    series = fma(series, f, splat(3.3333331174e-1))
    rest = fma(series * f, square, square * splat(-0.5))
    return f + rest + where_less(t, root, splat(0.0), splat(np.float32(0.69314718)))


@inner
def softplus_tail(v: Any) -> Any:
    """log(1 + e^-abs(v))."""
    return log1p_of_fraction(exp_below_88(-absolute(v)))


@inner
def softplus_of(v: Any, beta: Any, threshold: Any) -> Any:
    """log(1 + e^(beta · v)) / beta; `v` where beta · v is above the threshold."""
    scaled = v * beta
    result = (larger(scaled, splat(0.0)) + softplus_tail(scaled)) / beta
    return where_less(threshold, scaled, v, result)


@inner
def logsigmoid_of(v: Any) -> Any:
    """−log(1 + e^−v)."""
    return smaller(v, splat(0.0)) - softplus_tail(v)


@inner
def mish_of(v: Any, threshold: Any) -> Any:
    """v · tanh(log(1 + e^v)), which is v · (n² + 2n) / (n² + 2n + 2) with n = e^v.

    v · tanh(v) where v is above the threshold.
    """
    # Above 20 the quotient is 1.
    n = exp_below_88(smaller(v, splat(20.0)))
    over = n * (n + splat(2.0))
    return v * where_less(threshold, v, tanh(v), over / (over + splat(2.0)))


@inner
def softsign_of(v: Any) -> Any:
    """v / (1 + abs(v))."""
    return v / (splat(1.0) + absolute(v))


@instruction
def load_codes(typing: Any, array: Any, index: Any) -> Any:
    """The `LANES` bytes from a flat index on, as numbers from 0 to 255."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return emit.load_numbers(builder, emit.at(builder, base, args[1]))

    return VECTOR(array, types.int64), generate


@instruction
def load_codes_part(typing: Any, array: Any, index: Any, count: Any) -> Any:
    """The first `count` bytes from a flat index on, at most `LANES`, and 0 in the other lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        mask = emit.first_lanes(builder, args[2])
        return emit.load_numbers_part(builder, emit.at(builder, base, args[1]), mask)

    return VECTOR(array, types.int64, types.int64), generate


@instruction
def store_codes(typing: Any, vector: Any, zero: Any, array: Any, index: Any) -> Any:
    """Write ``round(vector) + zero``, saturated, to the `LANES` bytes from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[2], args[2])
        codes = quantized(builder, args[0], args[1])
        emit.store_bytes(builder, codes, emit.at(builder, base, args[3]))
        return context.get_dummy_value()

    return types.void(VECTOR, VECTOR, array, types.int64), generate


@instruction
def store_codes_part(typing: Any, vector: Any, zero: Any, array: Any, index: Any, count: Any) -> Any:
    """Write the first `count` lanes, at most `LANES`, of what `store_codes` writes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[2], args[2])
        codes, mask = quantized(builder, args[0], args[1]), emit.first_lanes(builder, args[4])
        emit.store_bytes_part(builder, codes, emit.at(builder, base, args[3]), mask)
        return context.get_dummy_value()

    return types.void(VECTOR, VECTOR, array, types.int64, types.int64), generate
