"""Elementwise functions equal numpy's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import Array
from lite.model_parser.pnnx.arithmetic import BINARY, UNARY
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 3, 4)
POSITIVE = np.abs(X) + 0.1
UNIT = np.tanh(X) * 0.9
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.4, -0.6], np.float32)

FUNCTIONS: dict[str, tuple[Callable[..., Array], Array]] = {
    "abs": (np.abs, X),
    "acos": (np.arccos, UNIT),
    "acosh": (np.arccosh, POSITIVE + 1),
    "asin": (np.arcsin, UNIT),
    "asinh": (np.arcsinh, X),
    "atan": (np.arctan, X),
    "atanh": (np.arctanh, UNIT),
    "ceil": (np.ceil, X),
    "cos": (np.cos, X),
    "cosh": (np.cosh, X),
    "erf": (np.vectorize(math.erf), X),
    "exp": (np.exp, X),
    "expm1": (np.expm1, X),
    "floor": (np.floor, X),
    "int": (lambda x: np.trunc(x).astype(np.int32), X * 3),
    "log": (np.log, POSITIVE),
    "log10": (np.log10, POSITIVE),
    "log2": (np.log2, POSITIVE),
    "log1p": (np.log1p, POSITIVE),
    "neg": (np.negative, X),
    "reciprocal": (np.reciprocal, POSITIVE),
    "round": (np.rint, HALVES),
    "rsqrt": (lambda x: 1 / np.sqrt(x), POSITIVE),
    "sign": (np.sign, X),
    "sin": (np.sin, X),
    "sinh": (np.sinh, X),
    "sqrt": (np.sqrt, POSITIVE),
    "square": (np.square, X),
    "tan": (np.tan, UNIT),
    "tanh": (np.tanh, X),
    "torch.bool": (lambda x: x != 0, np.array([0.0, 2.0, -1.0], np.float32)),
    "torch.float": (lambda x: x.astype(np.float32), np.array([1, 2], np.int64)),
    "torch.long": (lambda x: x.astype(np.int64), X * 3),
    "trunc": (np.trunc, X * 3),
}

PAIRS: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "atan2": np.arctan2,
    "div": np.divide,
    "floor_divide": np.floor_divide,
    "fmod": np.fmod,
    "logaddexp": np.logaddexp,
    "max": np.maximum,
    "maximum": np.maximum,
    "min": np.minimum,
    "minimum": np.minimum,
    "mul": np.multiply,
    "pow": lambda x, y: np.power(np.abs(x), y),
    "remainder": np.remainder,
    "sub": np.subtract,
}

BITWISE: dict[str, Callable[..., Array]] = {
    "and": np.bitwise_and,
    "lshift": np.left_shift,
    "or": np.bitwise_or,
    "rshift": np.right_shift,
    "xor": np.bitwise_xor,
}


def expression(text: str, *inputs: Array) -> Array:
    return one_op("pnnx.Expression", inputs, f"expr={text}")[0]


def test_every_function_is_tested() -> None:
    assert set(FUNCTIONS) == UNARY
    assert PAIRS.keys() | BITWISE.keys() == BINARY


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_tensor(name: str) -> None:
    function, x = FUNCTIONS[name]
    result, expected = expression(f"{name}(@0)", x), function(x)
    if expected.dtype != np.float64:
        assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_tensors_broadcast(name: str) -> None:
    x, y = noise(2, 3, 1, seed=1), noise(3, 4, seed=2)
    text = "pow(abs(@0),@1)" if name == "pow" else f"{name}(@0,@1)"
    result = expression(text, x, y)
    assert (result.shape, result.dtype.name) == ((2, 3, 4), "float32")
    np.testing.assert_allclose(result, PAIRS[name](x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("swapped", [False, True])
def test_functions_of_a_tensor_and_a_number(name: str, swapped: bool) -> None:
    text, number = ("(@0,1.5)", np.float32(1.5)) if not swapped else ("(1.5,@0)", np.float32(1.5))
    operands = (number, POSITIVE) if swapped else (POSITIVE, number)
    result = expression(f"{name}{text}", POSITIVE)
    assert (result.shape, result.dtype.name) == (POSITIVE.shape, "float32")
    np.testing.assert_allclose(result, PAIRS[name](*operands), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", BITWISE)
def test_bitwise_functions_of_integers(name: str) -> None:
    x, y = np.array([5, 12, 7], np.int64), np.array([1, 2, 3], np.int64)
    np.testing.assert_array_equal(expression(f"{name}(@0,@1)", x, y), BITWISE[name](x, y))


@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_logic_of_bools(name: str) -> None:
    x, y = np.array([True, True, False]), np.array([True, False, False])
    result = expression(f"{name}(@0,@1)", x, y)
    assert result.dtype == np.bool_
    np.testing.assert_array_equal(result, BITWISE[name](x, y))


@pytest.mark.parametrize(
    ("text", "dtype", "expected"),
    [
        ("add(@0,1)", "int64", [2, 3]),
        ("add(@0,0.5)", "float32", [1.5, 2.5]),
        ("div(@0,2)", "float32", [0.5, 1.0]),
        ("sqrt(mul(@0,@0))", "float32", [1.0, 2.0]),
        ("floor_divide(@0,2)", "int64", [0, 1]),
        ("pow(@0,2)", "int64", [1, 4]),
        ("mul(@0,True)", "int64", [1, 2]),
    ],
)
def test_integers_are_promoted_as_in_torch(text: str, dtype: str, expected: list[float]) -> None:
    result = expression(text, np.array([1, 2], np.int64))
    assert (result.dtype.name, result.tolist()) == (dtype, expected)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("add(2,3)", 5),
        ("div(3,2)", 1.5),
        ("floor_divide(-3,2)", -2),
        ("remainder(-3,2)", 1),
        ("max(2,7)", 7),
        ("round(2.5)", 2),
        ("int(2.7)", 2),
        ("trunc(-2.7)", -2),
        ("sqrt(4)", 2.0),
        ("div(1,0)", math.inf),
        ("sqrt(-1)", math.nan),
        ("mul(9223372036854775807,0)", 0),
    ],
)
def test_functions_of_numbers_alone_are_folded(text: str, value: float) -> None:
    (result,) = one_op("pnnx.Expression", [X], f"expr={text}")
    assert result.shape == ()
    np.testing.assert_array_equal(result, value)


def test_functions_with_infinity() -> None:
    result = expression("mul(@0,inf)", np.array([1.0, -1.0], np.float32))
    assert result.tolist() == [math.inf, -math.inf]
    assert expression("add(@0,-inf)", np.array([1.0], np.float32)).tolist() == [-math.inf]


def test_functions_as_separate_operators() -> None:
    np.testing.assert_array_equal(one_op("torch.floor", [X])[0], np.floor(X))
    np.testing.assert_array_equal(one_op("torch.maximum", [X, -X])[0], np.abs(X))
    np.testing.assert_array_equal(one_op("torch.fmod", [X], "other=2")[0], np.fmod(X, np.float32(2)))
    both = [np.array([True, False]), np.array([True, True])]
    assert one_op("torch.logical_xor", both)[0].tolist() == [False, True]
