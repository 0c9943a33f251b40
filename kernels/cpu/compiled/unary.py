"""Loops that apply a function to each element of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import Entry, entry
from lite.kernels.cpu.compiled.jit.vector import (
    absolute,
    load,
    load_part,
    splat,
    store,
    store_part,
    where_at_most,
    where_negative,
)
from lite.kernels.cpu.compiled.jit.vector import exp as exp_of
from lite.kernels.cpu.compiled.microkernels import elementwise
from lite.kernels.cpu.compiled.microkernels.elementwise import (
    erf_of,
    logsigmoid_of,
    mish_of,
    softplus_of,
    softsign_of,
)
from lite.kernels.cpu.compiled.microkernels.post_activation import expm1_of_negative, gelu_of, gelu_tanh_of
from lite.kernels.cpu.compiled.microkernels.post_activation import sigmoid as sigmoid_of
from lite.kernels.cpu.compiled.microkernels.post_activation import tanh as tanh_of
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _abs(v: Any, first: Any, second: Any) -> Any:
    return absolute(v)


@inner
def _ceil(v: Any, first: Any, second: Any) -> Any:
    return elementwise.ceil(v)


@inner
def _elu(v: Any, first: Any, second: Any) -> Any:
    return where_negative(v, first * expm1_of_negative(v), v)


@inner
def _erf(v: Any, first: Any, second: Any) -> Any:
    return erf_of(v)


@inner
def _exp(v: Any, first: Any, second: Any) -> Any:
    return exp_of(v)


@inner
def _floor(v: Any, first: Any, second: Any) -> Any:
    return elementwise.floor(v)


@inner
def _gelu(v: Any, first: Any, second: Any) -> Any:
    return gelu_of(v)


@inner
def _gelu_tanh(v: Any, first: Any, second: Any) -> Any:
    return gelu_tanh_of(v)


@inner
def _leaky_relu(v: Any, first: Any, second: Any) -> Any:
    return where_negative(v, v * first, v)


@inner
def _logsigmoid(v: Any, first: Any, second: Any) -> Any:
    return logsigmoid_of(v)


@inner
def _mish(v: Any, first: Any, second: Any) -> Any:
    return mish_of(v, second)


@inner
def _reciprocal(v: Any, first: Any, second: Any) -> Any:
    return splat(np.float32(1.0)) / v


@inner
def _rsqrt(v: Any, first: Any, second: Any) -> Any:
    return splat(np.float32(1.0)) / elementwise.sqrt(v)


@inner
def _sigmoid(v: Any, first: Any, second: Any) -> Any:
    return sigmoid_of(v)


@inner
def _softsign(v: Any, first: Any, second: Any) -> Any:
    return softsign_of(v)


@inner
def _sqrt(v: Any, first: Any, second: Any) -> Any:
    return elementwise.sqrt(v)


@inner
def _square(v: Any, first: Any, second: Any) -> Any:
    return v * v


@inner
def _swish(v: Any, first: Any, second: Any) -> Any:
    return v * sigmoid_of(v * first)


@inner
def _tanh(v: Any, first: Any, second: Any) -> Any:
    return tanh_of(v)


@inner
def _thresholded_relu(v: Any, first: Any, second: Any) -> Any:
    return where_at_most(v, second, splat(np.float32(0.0)), v)


def _loop_of(function: Callable[..., Any]) -> Entry:
    """The loop over elements `begin` to `end` with two parameters of the function."""

    @entry("r", "w", "f", "f")
    def loop(x: Any, out: Any, first: float, second: float, begin: int, end: int) -> None:
        a, b = splat(first), splat(second)
        far = begin + (end - begin) // (4 * LANES) * 4 * LANES
        for n in range(begin, far, 4 * LANES):
            store(function(load(x, n), a, b), out, n)
            store(function(load(x, n + LANES), a, b), out, n + LANES)
            store(function(load(x, n + 2 * LANES), a, b), out, n + 2 * LANES)
            store(function(load(x, n + 3 * LANES), a, b), out, n + 3 * LANES)
        for n in range(far, end, LANES):
            store_part(function(load_part(x, n, end - n), a, b), out, n, end - n)

    return loop  # type: ignore[return-value]


abs = _loop_of(_abs)
ceil = _loop_of(_ceil)
elu = _loop_of(_elu)
erf = _loop_of(_erf)
exp = _loop_of(_exp)
floor = _loop_of(_floor)
gelu = _loop_of(_gelu)
gelu_tanh = _loop_of(_gelu_tanh)
leaky_relu = _loop_of(_leaky_relu)
logsigmoid = _loop_of(_logsigmoid)
mish = _loop_of(_mish)
reciprocal = _loop_of(_reciprocal)
rsqrt = _loop_of(_rsqrt)
sigmoid = _loop_of(_sigmoid)
softplus = _loop_of(softplus_of)
softsign = _loop_of(_softsign)
sqrt = _loop_of(_sqrt)
square = _loop_of(_square)
swish = _loop_of(_swish)
tanh = _loop_of(_tanh)
thresholded_relu = _loop_of(_thresholded_relu)
