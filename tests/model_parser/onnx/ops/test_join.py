"""Concat and Split against ONNX's reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.arange(14, dtype=np.float32).reshape(7, 2)


@pytest.mark.parametrize("axis", [0, -1])
def test_concat(axis: int) -> None:
    matches_reference("Concat", [X, X + 1, X + 2], {"axis": axis})


def test_concat_without_axis() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Concat\): attribute axis is missing"):
        run(model_of("Concat", [X, X]), {"x0": X, "x1": X})


def test_sizes_as_input() -> None:
    matches_reference("Split", [X, np.array([2, 0, 5])], {"axis": 0}, outputs=3, constants=[1])


@pytest.mark.parametrize(
    ("attrs", "opset", "sizes"),
    [
        ({"split": [3, 4]}, 11, [3, 4]),
        ({"num_outputs": 2}, 18, [4, 3]),
        ({"num_outputs": 3}, 18, [3, 3, 1]),
        ({"num_outputs": 7}, 18, [1] * 7),
        ({"num_outputs": 3, "axis": -2}, 18, [3, 3, 1]),
    ],
)
@pytest.mark.parametrize("symbolic", [False, True])
def test_sizes(attrs: dict[str, Any], opset: int, sizes: list[int], symbolic: bool) -> None:
    model = model_of("Split", [X], attrs, opset=opset, outputs=len(sizes), symbolic=symbolic)

    same(list(run(model, {"x0": X}).values()), np.split(X, np.cumsum(sizes)[:-1]))


def test_equal_parts_before_opset_18() -> None:
    model = model_of("Split", [X], {"axis": 1}, opset=13, outputs=2)

    same(list(run(model, {"x0": X}).values()), [X[:, :1], X[:, 1:]])


def test_wrong_number_of_sizes() -> None:
    model = model_of("Split", [X, np.array([3, 4])], outputs=3, constants=[1])

    with pytest.raises(ModelParseError, match=r"split: expected 3 sizes, one for each output, got \[3, 4\]"):
        run(model, {"x0": X})
