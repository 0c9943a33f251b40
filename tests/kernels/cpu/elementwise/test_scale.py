"""scale and negative of float32 against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run_compiled


@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 7, 11), (2, 9000)])
@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize(("factor", "offset"), [(1.0, 0.0), (2.5, 0.0), (1.0, -0.5), (-0.3, 4.0)])
def test_scale(shape: tuple[int, ...], after: bool, factor: float, offset: float) -> None:
    x = np.asarray(floats(0, *shape))
    (result,) = run_compiled("scale", {"X": x}, {"scale": factor, "bias": offset, "bias_after_scale": after})
    a, b = np.float32(factor), np.float32(offset)
    np.testing.assert_allclose(result, x * a + b if after else (x + b) * a, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("activation", "function"),
    [("relu", lambda v: np.maximum(v, 0)), ("sigmoid", lambda v: 1 / (1 + np.exp(-v)))],
)
def test_activation(activation: str, function: Any) -> None:
    x = floats(1, 4, 9)
    (result,) = run_compiled("scale", {"X": x}, {"scale": 2.0, "bias": 0.25, "activation": activation})
    np.testing.assert_allclose(result, function(2 * x + np.float32(0.25)), rtol=1e-5, atol=1e-6)


def test_negative() -> None:
    x = np.array([0.0, -0.0, 1.5, -np.inf, np.nan], np.float32)
    (result,) = run_compiled("negative", {"X": x}, {})
    np.testing.assert_array_equal(result, -x)
    np.testing.assert_array_equal(np.signbit(result[:2]), [True, False])


@pytest.mark.parametrize("attrs", [{"scale1": 2.0}, {"bias1": 1.0}])
def test_a_second_scale_is_left_to_the_host(attrs: dict[str, float]) -> None:
    assert not bind("scale", {"X": floats(0, 3)}, attrs).is_compiled
