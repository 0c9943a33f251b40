"""Elementwise functions of one tensor → Abs, Exp, Floor, Log, Sqrt, … (opset 15).

float16 and float32 of known rank; abs and square take int32 as well, negative int32 and int64, logical_not
bool.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import BOOL, FLOAT, INT32, NUMBER, DTypes
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor], Tensor]


def _log1p(b: Builder, x: Tensor) -> Tensor:
    """x · log(u) / (u − 1) with u = 1 + x, and x where u is 1 (Goldberg 1991, theorem 4)."""
    one = b.like(1, x)
    u = b.op.add(x, one)
    rounded = b.op.subtract(u, one)
    quotient = b.op.divide(b.op.multiply(x, b.op.log(u)), rounded)
    finite = b.op.select(b.op.equal(rounded, b.like(0, x)), x, quotient)
    return b.op.select(b.op.is_inf(u), u, finite)


def _expm1(b: Builder, x: Tensor) -> Tensor:
    """tanh(x / 2) · (exp(x) + 1), which is exact for small x."""
    half = b.op.tanh(b.op.multiply(x, b.like(0.5, x)))
    return b.op.multiply(half, b.op.add(b.op.exp(x), b.like(1, x)))


def _trunc(b: Builder, x: Tensor) -> Tensor:
    return b.op.multiply(b.op.sign(x), b.op.floor(b.magnitude(x)))


def _round(b: Builder, x: Tensor) -> Tensor:
    """Halves away from zero; Round adds a half first, so it rounds the number just below 0.5 to 1."""
    whole = _trunc(b, x)
    half = b.op.greater_equal(b.magnitude(b.op.subtract(x, whole)), b.like(0.5, x))
    return b.op.add(whole, b.op.multiply(b.op.sign(x), b.op.convert_like(half, x)))


_TABLE: dict[str, tuple[Function, DTypes]] = {
    "abs": (lambda b, x: b.magnitude(x), FLOAT | INT32),
    "acos": (lambda b, x: b.op.acos(x), FLOAT),
    "acosh": (lambda b, x: b.op.acosh(x), FLOAT),
    "asin": (lambda b, x: b.op.asin(x), FLOAT),
    "asinh": (lambda b, x: b.op.asinh(x), FLOAT),
    "atan": (lambda b, x: b.op.atan(x), FLOAT),
    "atanh": (lambda b, x: b.op.atanh(x), FLOAT),
    "ceil": (lambda b, x: b.op.ceiling(x), FLOAT),
    "cos": (lambda b, x: b.op.cos(x), FLOAT),
    "cosh": (lambda b, x: b.op.cosh(x), FLOAT),
    "erf": (lambda b, x: b.op.erf(x), FLOAT),
    "exp": (lambda b, x: b.op.exp(x), FLOAT),
    "expm1": (_expm1, FLOAT),
    "floor": (lambda b, x: b.op.floor(x), FLOAT),
    "isfinite_v2": (lambda b, x: b.op.is_finite(x), FLOAT),
    "isinf_v2": (lambda b, x: b.op.is_inf(x), FLOAT),
    "isnan_v2": (lambda b, x: b.op.is_nan(x), FLOAT),
    "log": (lambda b, x: b.op.log(x), FLOAT),
    "log10": (lambda b, x: b.op.multiply(b.op.log(x), b.like(1 / math.log(10), x)), FLOAT),
    "log1p": (_log1p, FLOAT),
    "log2": (lambda b, x: b.op.multiply(b.op.log(x), b.like(1 / math.log(2), x)), FLOAT),
    "logical_not": (lambda b, x: b.op.logical_not(x), BOOL),
    "negative": (lambda b, x: b.op.negative(x), NUMBER),
    "reciprocal": (lambda b, x: b.op.divide(b.like(1, x), x), FLOAT),
    "rint": (lambda b, x: b.op.round(x, "half_to_even"), FLOAT),
    "round": (_round, FLOAT),
    "rsqrt": (lambda b, x: b.op.divide(b.like(1, x), b.op.sqrt(x)), FLOAT),
    "sign": (lambda b, x: b.op.sign(x), FLOAT),
    "sin": (lambda b, x: b.op.sin(x), FLOAT),
    "sinh": (lambda b, x: b.op.sinh(x), FLOAT),
    "sqrt": (lambda b, x: b.op.sqrt(x), FLOAT),
    "square": (lambda b, x: b.op.multiply(x, x), FLOAT | INT32),
    "tan": (lambda b, x: b.op.tan(x), FLOAT),
    "trunc": (_trunc, FLOAT),
}


def _row(function: Function, dtypes: DTypes) -> Row:
    def make(b: Builder, _: BridgeOp, x: Tensor) -> Tensor:
        return function(b, x)

    return Row("X", make, dtypes)


for _name, (_function, _dtypes) in _TABLE.items():
    bridge("openvino", _name)(_row(_function, _dtypes))
