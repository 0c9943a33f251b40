"""Reductions of few integers and conditions against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, run_compiled

REDUCTIONS: dict[str, Callable[..., Array]] = {
    "reduce_all": np.all,
    "reduce_any": np.any,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "reduce_sum": np.sum,
}


def _numbers(op: str, *shape: int) -> Array:
    rng = np.random.default_rng(len(shape))
    if op in ("reduce_all", "reduce_any"):
        return rng.random(shape) < 0.6
    return rng.integers(-(2**31), 2**31 - 1, shape).astype(np.int32)


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("keep_dim", [True, False])
def test_axes(op: str, keep_dim: bool) -> None:
    for shape, axes in [((5,), [0]), ((2, 3, 4), [1]), ((2, 3, 4), [-1, 0]), ((4, 1, 3), [0, 1, 2])]:
        x = _numbers(op, *shape)
        (result,) = run_compiled(op, {"X": x}, {"dim": axes, "keep_dim": keep_dim})
        expected = REDUCTIONS[op](x, axis=tuple(axes), keepdims=keep_dim).astype(x.dtype)
        np.testing.assert_array_equal(result, expected)
        assert result.dtype == x.dtype


@pytest.mark.parametrize("op", REDUCTIONS)
def test_all_axes(op: str) -> None:
    x = _numbers(op, 3, 5)
    (result,) = run_compiled(op, {"X": x}, {"dim": [0], "reduce_all": True})
    np.testing.assert_array_equal(result, REDUCTIONS[op](x).astype(x.dtype))


@pytest.mark.parametrize("x", [np.zeros(1025, np.int64), np.zeros((0, 3), np.int64), np.zeros(3, np.float64)])
def test_other_operands_are_left_to_the_host(x: Any) -> None:
    assert not bind("reduce_sum", {"X": x}, {"dim": [0]}).is_compiled
