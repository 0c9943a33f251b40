"""lrn against the host's kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats

SHAPES = [(1, 5, 4, 8), (2, 7, 3, 5), (1, 1, 2, 2), (2, 33, 5, 7)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("attrs", [{}, {"n": 4, "beta": 1.5, "alpha": 0.3, "k": 0.01}, {"n": 1, "beta": 0.0}])
def test_lrn_equals_the_hosts(shape: tuple[int, ...], attrs: dict[str, Any]) -> None:
    x = floats(0, *shape) * np.float32(10)
    bound = bind("lrn", {"X": x}, attrs, outputs={"Out": 1})
    result, _ = bound()
    buffer = np.full_like(result, np.nan)
    bound(out=(buffer, None))

    assert bound.is_compiled
    expected, _ = bind("lrn", {"X": x}, attrs, outputs={"Out": 1, "MidOut": 1})()
    np.testing.assert_allclose(result, expected, rtol=3e-6)
    np.testing.assert_array_equal(buffer, result)


def test_infinities_and_nan() -> None:
    x = np.zeros((1, 3, 1, 4), np.float32)
    x[0, 0, 0] = [np.inf, np.nan, 1e20, 0]
    result, _ = bind("lrn", {"X": x}, {"n": 1}, outputs={"Out": 1})()
    np.testing.assert_array_equal(result[0, 0, 0], [np.nan, np.nan, 0, 0])


@pytest.mark.parametrize("attrs", [{"k": 0.0}, {"alpha": -1.0}, {"data_format": "NHWC"}], ids=str)
def test_other_cases_are_left_to_the_host(attrs: dict[str, Any]) -> None:
    assert not bind("lrn", {"X": floats(0, 1, 2, 3, 4)}, attrs, outputs={"Out": 1}).is_compiled
