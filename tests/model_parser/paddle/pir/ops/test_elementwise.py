"""Elementwise PIR ops equal numpy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import DTypeName, PirBuilder, check_equal, noise, run_op, tensor

X = noise(3, 4)
Y = noise(4, seed=1)
N = np.array([[7, -7, 5], [1, 2, -3]], np.int32)
M = np.array([3, 2, -2], np.int32)
SPECIAL = np.array([1, np.inf, -np.inf, np.nan], np.float32)
B = np.array([True, False, True, True])

_UNARY: dict[str, tuple[Callable[[Array], Array], Array]] = {
    "abs": (np.abs, X),
    "acos": (np.arccos, np.tanh(X)),
    "acosh": (np.arccosh, 1 + X**2),
    "asin": (np.arcsin, np.tanh(X)),
    "asinh": (np.arcsinh, X),
    "atan": (np.arctan, X),
    "atanh": (np.arctanh, np.tanh(X)),
    "bitwise_not": (np.invert, N),
    "ceil": (np.ceil, X),
    "cos": (np.cos, X),
    "cosh": (np.cosh, X),
    "erf": (np.vectorize(math.erf, otypes=[np.float32]), X),
    "exp": (np.exp, X),
    "expm1": (np.expm1, X),
    "floor": (np.floor, X),
    "isfinite": (np.isfinite, SPECIAL),
    "isinf": (np.isinf, SPECIAL),
    "isnan": (np.isnan, SPECIAL),
    "log": (np.log, X**2),
    "log10": (np.log10, X**2),
    "log1p": (np.log1p, X**2),
    "log2": (np.log2, X**2),
    "logical_not": (np.logical_not, B),
    "reciprocal": (np.reciprocal, X),
    "round": (np.round, X),
    "rsqrt": (lambda x: 1 / np.sqrt(x), X**2),
    "sign": (np.sign, X),
    "sin": (np.sin, X),
    "sinh": (np.sinh, X),
    "sqrt": (np.sqrt, X**2),
    "sqrt_": (np.sqrt, X**2),
    "square": (np.square, X),
    "tan": (np.tan, X),
    "trunc": (np.trunc, X),
}

_BINARY: dict[str, tuple[Callable[[Array, Array], Array], Array, Array]] = {
    "add": (np.add, X, Y),
    "add_": (np.add, X, Y),
    "atan2": (np.arctan2, X, X[::-1]),
    "bitwise_and": (np.bitwise_and, N, M),
    "bitwise_left_shift": (np.left_shift, N, np.abs(M)),
    "bitwise_or": (np.bitwise_or, N, M),
    "bitwise_right_shift": (np.right_shift, N, np.abs(M)),
    "bitwise_xor": (np.bitwise_xor, N, M),
    "divide": (np.divide, X, Y),
    "elementwise_pow": (np.power, np.abs(X), Y),
    "equal": (np.equal, N, M),
    "floor_divide": (np.floor_divide, N, M),
    "greater_equal": (np.greater_equal, X, Y),
    "greater_than": (np.greater, X, Y),
    "less_equal": (np.less_equal, X, Y),
    "less_than": (np.less, X, Y),
    "logical_and": (np.logical_and, B, ~B),
    "logical_or": (np.logical_or, B, ~B),
    "logical_xor": (np.logical_xor, B, B),
    "maximum": (np.maximum, X, Y),
    "minimum": (np.minimum, X, Y),
    "multiply": (np.multiply, X, Y),
    "not_equal": (np.not_equal, N, M),
    "remainder": (np.mod, N, M),
    "subtract": (np.subtract, X, Y),
}


@pytest.mark.parametrize("name", _UNARY)
def test_ops_of_one_operand(name: str) -> None:
    function, x = _UNARY[name]
    check_equal(run_op(name, [x]), function(x))


@pytest.mark.parametrize("name", _BINARY)
def test_ops_of_two_operands(name: str) -> None:
    function, x, y = _BINARY[name]
    check_equal(run_op(name, [x, y]), function(x, y))


def test_add_n_adds_a_list() -> None:
    builder = PirBuilder()
    operands = [builder.data(name, X) for name in "abc"]
    out = builder.one("add_n", builder.combine(*operands), result=builder.types[operands[0]])
    check_equal(builder.fetch(out).run(a=X, b=2 * X, c=X)[0], 4 * X)


def test_cast_has_the_dtype_of_the_attribute() -> None:
    output = run_op("cast", [X], {"dtype": DTypeName("int64")}, tensor("int64", X.shape))
    check_equal(output, X.astype(np.int64))


def test_where_takes_elements_of_either() -> None:
    condition = X > 0
    check_equal(run_op("where", [condition, X, -X], result=tensor("float32", X.shape)), np.abs(X))


def test_pow_and_increment_take_a_number_as_attribute() -> None:
    check_equal(run_op("pow", [X], {"y": 3.0}), X**3)
    check_equal(run_op("increment_", [X[0, :1]], {"value": 2.0}), X[0, :1] + 2)


def test_affine_channel() -> None:
    x, scale, bias = noise(1, 2, 3, 3), noise(2), noise(2, seed=1)
    output = run_op("affine_channel", [x, scale, bias], {"data_layout": "NCHW"})
    check_equal(output, x * scale[:, None, None] + bias[:, None, None])


@pytest.mark.parametrize("is_constant", [True, False])
def test_clip_and_scale_take_constants_and_tensors(is_constant: bool) -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    numbers = {"low": -0.5, "high": 0.25, "factor": 3.0}
    arrays = {name: np.array([number], np.float32) for name, number in numbers.items()}
    low, high, factor = (
        builder.full(number) if is_constant else builder.data(name, arrays[name])
        for name, number in numbers.items()
    )
    clipped = builder.one("clip", x, low, high)
    scaled = builder.one("scale", x, factor, attrs={"bias": 1.0, "bias_after_scale": False})
    outputs = builder.fetch(clipped, scaled).run(x=X, **({} if is_constant else arrays))
    check_equal(outputs[0], X.clip(-0.5, 0.25))
    check_equal(outputs[1], (X + 1) * 3)


@pytest.mark.parametrize("decimals", [-1, 1, 2])
def test_round_to_decimals(decimals: int) -> None:
    x = np.array([-26.49, -0.25, 0.125, 0.75, 13.6], np.float32)
    check_equal(run_op("round", [x], {"decimals": decimals}), np.round(x, decimals))


def test_halves_are_rounded_to_even() -> None:
    x = np.array([-1.5, -0.5, 0.5, 1.5, 2.5], np.float32)
    check_equal(run_op("round", [x]), np.array([-2, -0.0, 0, 2, 2], np.float32))
