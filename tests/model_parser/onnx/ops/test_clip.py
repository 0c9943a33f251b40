"""Clip against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

LOW, HIGH = np.array(-1, np.float32), np.array(2.5, np.float32)
X = np.array([-3.0, -1.0, 0.5, 7.0], np.float32)


@pytest.mark.parametrize("low", [None, LOW])
@pytest.mark.parametrize("high", [None, HIGH])
def test_bounds(low: Array | None, high: Array | None) -> None:
    matches_reference("Clip", [X, low, high], constants=[1, 2])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16])
def test_dtypes(dtype: type[np.generic]) -> None:
    x = np.array([-100, 3, 100], dtype)

    matches_reference("Clip", [x, np.array(-5, dtype), np.array(50, dtype)], constants=[1])


def test_large_integers_stay_exact() -> None:
    x = np.array([2**62 + 1, 2**62 + 3])
    bound = np.array(2**62 + 2)

    found = run(model_of("Clip", [x, None, bound], constants=[2]), {"x0": x})

    same([found["y0"]], [np.array([2**62 + 1, 2**62 + 2])])


@pytest.mark.parametrize(
    ("attrs", "wanted"), [({"min": -1.0}, [-1.0, -1.0, 0.5, 7.0]), ({}, [-3.0, -1.0, 0.5, 7.0])]
)
def test_attributes_of_opset_6(attrs: dict[str, float], wanted: list[float]) -> None:
    found = run(model_of("Clip", [X], attrs, opset=9), {"x0": X})

    same([found["y0"]], [np.array(wanted, np.float32)])
