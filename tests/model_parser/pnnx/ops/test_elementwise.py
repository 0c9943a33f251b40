"""Comparisons, limits, choices by condition, and casts."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

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
