"""prelu against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, close, floats, run_compiled

CASES: list[tuple[dict[str, AttrValue], tuple[int, ...], tuple[int, ...]]] = [
    ({"mode": "all"}, (1,), (1,)),
    ({"mode": "channel"}, (6,), (6, 1, 1)),
    ({"mode": "channel", "data_format": "NHWC"}, (13,), (13,)),
    ({"mode": "element"}, (6, 17, 13), (6, 17, 13)),
]


def prelu(x: Array, slope: Array) -> Array:
    return np.where(x > 0, x, slope.astype(np.float64) * x)


@pytest.mark.parametrize(("attrs", "stored", "shape"), CASES)
def test_slopes(attrs: dict[str, AttrValue], stored: tuple[int, ...], shape: tuple[int, ...]) -> None:
    x, alpha = floats(1, 2, 6, 17, 13), floats(2, *stored)
    [result] = run_compiled("prelu", {"X": x, "Alpha": alpha}, attrs)
    close(result, prelu(x, alpha.reshape(shape)))


def test_special_numbers() -> None:
    x = np.resize(np.array([np.inf, -np.inf, np.nan, 0.0, -2.0], np.float32), (4, 500))
    [result] = run_compiled("prelu", {"X": x, "Alpha": np.array([0.5], np.float32)}, {"mode": "all"})
    np.testing.assert_array_equal(result, prelu(x, np.array([0.5])))


def test_the_host_runs_few_elements() -> None:
    inputs = {"X": floats(1, 2, 3), "Alpha": floats(2, 1)}
    assert not bind("prelu", inputs, {"mode": "all"}).is_compiled
