"""Reductions equal numpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 3, 4)
PLAIN: dict[str, Callable[..., Any]] = {
    "torch.amax": np.max,
    "torch.amin": np.min,
    "torch.mean": np.mean,
    "torch.prod": np.prod,
    "torch.sum": np.sum,
    "torch.logsumexp": lambda x, axis, keepdims: np.log(np.exp(x).sum(axis=axis, keepdims=keepdims)),
    "torch.var": lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=1),
    "torch.std": lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=1),
    "torch.norm": lambda x, axis, keepdims: np.sqrt((x * x).sum(axis=axis, keepdims=keepdims)),
}


@pytest.mark.parametrize("op", PLAIN)
@pytest.mark.parametrize("axes", [(1,), (0, 2), None], ids=["one", "two", "all"])
@pytest.mark.parametrize("keep", [True, False])
def test_over_axes(op: str, axes: tuple[int, ...] | None, keep: bool) -> None:
    where = "" if axes is None else f"dim=({','.join(map(str, axes))}) keepdim={keep}"
    (got,) = one_op(op, [X], where)
    expected = PLAIN[op](X, axis=axes, keepdims=keep and axes is not None)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_biased_variance() -> None:
    (got,) = one_op("torch.var", [X], "dim=(1) unbiased=False keepdim=False")
    np.testing.assert_allclose(got, X.var(1), rtol=1e-5, atol=1e-6)
    (got,) = one_op("torch.std", [X], "dim=(1) correction=2 keepdim=False")
    np.testing.assert_allclose(got, X.std(1, ddof=2), rtol=1e-5, atol=1e-6)


def test_sums_of_whole_numbers_are_wide() -> None:
    x = np.array([[200, 100], [250, 3]], np.uint8)
    (got,) = one_op("torch.sum", [x], "dim=(1) keepdim=False")
    assert (got.dtype.name, got.tolist()) == ("int64", [300, 253])
    (got,) = one_op("torch.cumsum", [x], "dim=0")
    assert (got.dtype.name, got.tolist()) == ("int64", [[200, 100], [450, 103]])


@pytest.mark.parametrize(("op", "value", "place"), [("max", np.max, np.argmax), ("min", np.min, np.argmin)])
def test_extremes_with_their_places(
    op: str, value: Callable[..., Array], place: Callable[..., Array]
) -> None:
    values, places = one_op(f"torch.{op}", [X], "dim=1 keepdim=False", outputs=2)
    np.testing.assert_array_equal(values, value(X, axis=1))
    np.testing.assert_array_equal(places, place(X, axis=1))
    (got,) = one_op(f"torch.{op}", [X], "")
    assert got == value(X)
    (got,) = one_op(f"torch.arg{op}", [X], "")
    assert got == place(X)


def test_any_and_all() -> None:
    x = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
    assert one_op("torch.all", [x], "dim=1 keepdim=False")[0].tolist() == [False, True]
    assert one_op("torch.any", [x])[0].tolist() is True


def test_topk_of_the_smallest() -> None:
    values, places = one_op("torch.topk", [X], "k=2 dim=1 largest=False sorted=True", outputs=2)
    np.testing.assert_array_equal(values, np.sort(X, 1)[:, :2])
    np.testing.assert_array_equal(places, np.argsort(X, 1)[:, :2])
