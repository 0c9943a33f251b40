"""Reductions equal numpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 3, 4)
REDUCTIONS: dict[str, Callable[..., Any]] = {
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


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("axes", [(1,), (0, 2), None], ids=["one", "two", "all"])
@pytest.mark.parametrize("keepdim", [True, False])
def test_reductions_over_one_two_and_all_axes(op: str, axes: tuple[int, ...] | None, keepdim: bool) -> None:
    params = "" if axes is None else f"dim=({','.join(map(str, axes))}) keepdim={keepdim}"
    (output,) = one_op(op, [X], params)
    expected = REDUCTIONS[op](X, axis=axes, keepdims=keepdim and axes is not None)
    assert output.shape == expected.shape
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)


def test_variance_with_a_correction() -> None:
    (output,) = one_op("torch.var", [X], "dim=(1) unbiased=False keepdim=False")
    np.testing.assert_allclose(output, X.var(1), rtol=1e-5, atol=1e-6)
    (output,) = one_op("torch.std", [X], "dim=(1) correction=2 keepdim=False")
    np.testing.assert_allclose(output, X.std(1, ddof=2), rtol=1e-5, atol=1e-6)


def test_sums_of_integers_are_int64() -> None:
    x = np.array([[200, 100], [250, 3]], np.uint8)
    (output,) = one_op("torch.sum", [x], "dim=(1) keepdim=False")
    assert (output.dtype.name, output.tolist()) == ("int64", [300, 253])
    (output,) = one_op("torch.cumsum", [x], "dim=0")
    assert (output.dtype.name, output.tolist()) == ("int64", [[200, 100], [450, 103]])


@pytest.mark.parametrize(("op", "value", "index"), [("max", np.max, np.argmax), ("min", np.min, np.argmin)])
def test_extremes_with_and_without_their_index(
    op: str, value: Callable[..., Array], index: Callable[..., Array]
) -> None:
    values, indices = one_op(f"torch.{op}", [X], "dim=1 keepdim=False", outputs=2)
    np.testing.assert_array_equal(values, value(X, axis=1))
    np.testing.assert_array_equal(indices, index(X, axis=1))
    (output,) = one_op(f"torch.{op}", [X], "")
    assert output == value(X)
    (output,) = one_op(f"torch.arg{op}", [X], "")
    assert output == index(X)


def test_any_and_all_of_real_numbers() -> None:
    x = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
    assert one_op("torch.all", [x], "dim=1 keepdim=False")[0].tolist() == [False, True]
    assert one_op("torch.any", [x])[0].tolist() is True


def test_a_correction_that_is_written_as_unbiased() -> None:
    (output,) = one_op("torch.var", [X], "dim=(1) unbiased=2 keepdim=False")
    np.testing.assert_allclose(output, X.var(1, ddof=2), rtol=1e-5, atol=1e-6)


def test_the_mean_of_integers_is_real() -> None:
    x = np.array([[1, 2], [4, 4]], np.int64)
    (output,) = one_op("torch.mean", [x], "dim=(1) keepdim=False")
    assert (output.dtype.name, output.tolist()) == ("float32", [1.5, 4.0])
