"""Comparisons, limits, choices by condition, and casts."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run

X, Y = noise(2, 3), noise(2, 3, seed=1)
NAMES = ["condition", "input", "other"]


@pytest.mark.parametrize(("op", "name"), [("eq", "equal"), ("ge", "greater_equal"), ("ne", "not_equal")])
def test_comparisons_of_tensors(op: str, name: str) -> None:
    other = np.where(Y > 0, X, Y)
    (output,) = one_op(f"torch.{op}", [X, other], names=["input", "other"])
    np.testing.assert_array_equal(output, getattr(np, name)(X, other))


def test_comparison_of_integers_with_a_real_number() -> None:
    (output,) = one_op("torch.gt", [np.array([1, 2], np.int64)], "other=1.5")
    assert output.tolist() == [False, True]


@pytest.mark.parametrize(
    ("params", "low", "high"),
    [("min=-0.5 max=0.5", -0.5, 0.5), ("min=0 max=None", 0, np.inf), ("max=0", -np.inf, 0)],
)
def test_clamp_with_one_or_two_limits(params: str, low: float, high: float) -> None:
    np.testing.assert_array_equal(one_op("torch.clamp", [X], params)[0], np.clip(X, low, high))


@pytest.mark.parametrize("other", [Y, np.array([[1], [2]], np.int64)], ids=["real", "whole"])
def test_where_promotes_types(other: Array) -> None:
    (output,) = one_op("torch.where", [X > 0, X, other], names=NAMES)
    assert output.dtype == np.float32
    np.testing.assert_array_equal(output, np.where(X > 0, X, other))


def test_where_with_a_number() -> None:
    (output,) = one_op("torch.where", [X > 0, X], "other=-1.0", names=NAMES[:2])
    np.testing.assert_array_equal(output, np.where(X > 0, X, -1))


def test_masked_fill() -> None:
    mask = np.array([True, False, True])
    (output,) = one_op("Tensor.masked_fill", [X, mask], "value=-inf", names=["input", "mask"])
    np.testing.assert_array_equal(output, np.where(mask, -np.inf, X))


@pytest.mark.parametrize(("name", "dtype"), [("torch.long", np.int64), ("torch.half", np.float16)])
def test_casts_to_torch_types(name: str, dtype: type) -> None:
    (output,) = one_op("Tensor.to", [X], f"copy=False dtype={name}")
    np.testing.assert_array_equal(output, X.astype(dtype))
    assert output.dtype == dtype


def test_operators_that_do_nothing_at_inference() -> None:
    for op in ("nn.Identity", "nn.Dropout", "F.dropout", "Tensor.contiguous"):
        np.testing.assert_array_equal(one_op(op, [X])[0], X)


def test_logic_of_numbers_is_that_of_their_truth() -> None:
    x, y = np.array([6, 0, 2, 0], np.int64), np.array([1, 0, 0, 3], np.int64)
    (output,) = one_op("torch.logical_and", [x, y])
    np.testing.assert_array_equal(output, np.logical_and(x, y))
    (output,) = one_op("torch.logical_xor", [x, y])
    np.testing.assert_array_equal(output, np.logical_xor(x, y))


def test_bits_and_shifts_with_a_number() -> None:
    x = np.array([-9, 0, 5], np.int32)
    np.testing.assert_array_equal(one_op("torch.bitwise_xor", [x], "other=6")[0], x ^ 6)
    np.testing.assert_array_equal(one_op("torch.bitwise_left_shift", [x], "other=2")[0], x << 2)
    np.testing.assert_array_equal(one_op("torch.bitwise_right_shift", [x], "other=1")[0], x >> 1)
    np.testing.assert_array_equal(one_op("torch.bitwise_not", [x])[0], ~x)


def test_a_division_with_an_integer_result_rounds_down() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(4)i64",
        "pnnx.Expression e 1 1 x y expr=add(div(@0,3),1) #y=(4)i64",
        "pnnx.Output o 1 0 y",
    ]
    x = np.array([-7, -1, 5, 6], np.int64)
    np.testing.assert_array_equal(run(lines, [x])[0], x // 3 + 1)


def test_tensors_of_several_types_joined() -> None:
    x, y = np.array([[1, 2]], np.int64), np.array([[0.5, 1.5]], np.float32)
    (output,) = one_op("torch.cat", [x, y], "dim=0")
    np.testing.assert_array_equal(output, np.array([[1, 2], [0.5, 1.5]], np.float32))
