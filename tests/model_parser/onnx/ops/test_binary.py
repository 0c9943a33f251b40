"""Ops of two tensors against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

X = np.array([[-3.5, 2.0, 7.25], [1.0, -1.0, 4.0]], np.float32)
ROW = np.array([2.0, -1.5, 4.0], np.float32)
INTS = np.array([[-7, 5, 9], [8, -3, 6]], np.int32)
TRUE = np.array([[True, False, True], [False, False, True]])


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Equal", "Greater", "Less"])
@pytest.mark.parametrize(("x", "y"), [(X, ROW), (ROW, X), (INTS, INTS[:1])], ids=["row", "column", "ints"])
def test_arithmetic(op: str, x: np.ndarray, y: np.ndarray) -> None:
    matches_reference(op, [x, y], constants=[1])


@pytest.mark.parametrize("op", ["GreaterOrEqual", "LessOrEqual"])
def test_comparisons(op: str) -> None:
    matches_reference(op, [INTS.astype(np.uint64), np.array([5, 8, 6], np.uint64)])


@pytest.mark.parametrize("op", ["And", "Or", "Xor"])
def test_logic(op: str) -> None:
    matches_reference(op, [TRUE, TRUE[1]])


@pytest.mark.parametrize("op", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
def test_bits(op: str) -> None:
    matches_reference(op, [INTS, INTS[0]])


@pytest.mark.parametrize("fmod", [0, 1])
def test_mod_of_integers(fmod: int) -> None:
    matches_reference("Mod", [INTS, np.array([4, -4, 5], np.int32)], {"fmod": fmod})


def test_mod_of_fractions() -> None:
    matches_reference("Mod", [X, ROW], {"fmod": 1})


@pytest.mark.parametrize("exponent", [ROW, np.array([2, 0, 3])], ids=["real", "whole"])
def test_power(exponent: np.ndarray) -> None:
    matches_reference("Pow", [np.abs(X), exponent], constants=[1])


def test_power_of_integers_by_a_fraction() -> None:
    base = np.array([4, 9, 10], np.int64)

    matches_reference("Pow", [base, np.array([0.5, 1.5, 2.0], np.float32)])


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_shifts(dtype: type[np.generic], direction: str) -> None:
    x = np.array([200, 4, 1], dtype)

    matches_reference("BitShift", [x, np.array([1, 2, 3], dtype)], {"direction": direction})


def test_unknown_direction() -> None:
    x = np.array([1], np.uint8)
    model = model_of("BitShift", [x, x], {"direction": "UP"})

    with pytest.raises(
        ModelParseError, match=r"node \(BitShift\): direction: expected LEFT or RIGHT, got 'UP'"
    ):
        run(model, {"x0": x, "x1": x})
