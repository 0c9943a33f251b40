"""Slice against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
LIMITS = np.iinfo(np.int64)


def row(numbers: list[int] | None) -> np.ndarray | None:
    return None if numbers is None else np.array(numbers, np.int64)


@pytest.mark.parametrize(
    ("starts", "ends", "axes", "steps"),
    [
        ([1], [3], None, None),
        ([1, 0], [3, LIMITS.max], [1, 2], None),
        ([-3], [-1], [-1], None),
        ([0, 4], [3, 0], [0, 2], [2, -2]),
        ([4], [-1], [2], [-1]),
        ([-1], [LIMITS.min], [2], [-1]),
        ([20], [-20], [1], [-3]),
        ([2], [1], [0], None),
    ],
)
def test_inputs(starts: list[int], ends: list[int], axes: list[int] | None, steps: list[int] | None) -> None:
    inputs = [X, row(starts), row(ends), row(axes), row(steps)]

    matches_reference("Slice", inputs, constants=[1, 2, 3, 4])
    matches_reference("Slice", inputs, constants=[3, 4])
    matches_reference("Slice", inputs, constants=[1, 3])


def test_attributes_of_opset_1() -> None:
    attrs = {"starts": [0, 1], "ends": [2, 1000], "axes": [0, 2]}

    same([run(model_of("Slice", [X], attrs, opset=9), {"x0": X})["y0"]], [X[:2, :, 1:]])


def test_missing_ends() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Slice\): starts and ends are required"):
        run(model_of("Slice", [X, row([0])], constants=[1]), {"x0": X})
