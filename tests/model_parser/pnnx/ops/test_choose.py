"""Comparisons, limits, choices and constants."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run

X, Y = noise(2, 3), noise(2, 3, seed=1)
CHOICE = ["condition", "input", "other"]


@pytest.mark.parametrize(("op", "name"), [("eq", "equal"), ("ge", "greater_equal"), ("ne", "not_equal")])
def test_comparisons(op: str, name: str) -> None:
    other = np.where(Y > 0, X, Y)
    (got,) = one_op(f"torch.{op}", [X, other], names=["input", "other"])
    np.testing.assert_array_equal(got, getattr(np, name)(X, other))


def test_whole_numbers_compare_with_real_ones() -> None:
    (got,) = one_op("torch.gt", [np.array([1, 2], np.int64)], "other=1.5")
    assert got.tolist() == [False, True]


@pytest.mark.parametrize(
    ("params", "low", "high"),
    [("min=-0.5 max=0.5", -0.5, 0.5), ("min=0 max=None", 0, np.inf), ("max=0", -np.inf, 0)],
)
def test_limits(params: str, low: float, high: float) -> None:
    np.testing.assert_array_equal(one_op("torch.clamp", [X], params)[0], np.clip(X, low, high))


@pytest.mark.parametrize("other", [Y, np.array([[1], [2]], np.int64)], ids=["real", "whole"])
def test_choices(other: Array) -> None:
    (got,) = one_op("torch.where", [X > 0, X, other], names=CHOICE)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, np.where(X > 0, X, other))


def test_choice_of_a_number() -> None:
    (got,) = one_op("torch.where", [X > 0, X], "other=-1.0", names=CHOICE[:2])
    np.testing.assert_array_equal(got, np.where(X > 0, X, -1))


def test_filling_by_a_mask() -> None:
    mask = np.array([True, False, True])
    (got,) = one_op("Tensor.masked_fill", [X, mask], "value=-inf", names=["input", "mask"])
    np.testing.assert_array_equal(got, np.where(mask, -np.inf, X))


def test_rows_of_a_weight() -> None:
    ids, weight = np.array([[3, 0], [1, 3]], np.int64), noise(4, 2)
    (got,) = one_op("nn.Embedding", [ids], "num_embeddings=4 embedding_dim=2", {"weight": weight})
    np.testing.assert_array_equal(got, weight[ids])


def test_constants_of_a_size() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(?,3)f32",
        "pnnx.Expression e 1 1 x n expr=[size(@0,0),2]",
        "torch.full f 1 1 n a fill_value=1.5 dtype=torch.double $size=n",
        "torch.ones g 0 1 b size=(2,1) dtype=torch.long",
        "torch.zeros_like h 1 1 x c",
        "pnnx.Output o 3 0 a b c",
    ]
    got = run(lines, [X])
    for array, expected in zip(got, (np.full((2, 2), 1.5), np.ones((2, 1), np.int64), X * 0), strict=True):
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)
