"""TopK and Unique against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.array([[3.0, 1.0, 3.0, 2.0], [0.0, 5.0, 4.0, 5.0]], np.float32)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_top_k(axis: int, largest: int) -> None:
    attrs = {"axis": axis, "largest": largest}

    matches_reference("TopK", [X, np.array([2])], attrs, outputs=2, constants=[1])


def test_k_as_attribute() -> None:
    model = model_of("TopK", [X], {"k": 1}, opset=9, outputs=2)

    same(list(run(model, {"x0": X}).values()), [np.array([[3.0], [5.0]], np.float32), np.array([[0], [1]])])


@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("attrs", [{}, {"axis": 0}, {"axis": -1}])
def test_unique(attrs: dict[str, int], is_sorted: int) -> None:
    x = np.array([[2, 0, 2], [1, 1, 1], [2, 0, 2], [0, 3, 0]])

    found = run(model_of("Unique", [x], {**attrs, "sorted": is_sorted}, outputs=4), {"x0": x})

    items = [*x.reshape(-1)] if not attrs else list(np.moveaxis(x, attrs["axis"], 0))
    listed = [tuple(np.reshape(item, -1).tolist()) for item in items]
    kept = sorted(set(listed)) if is_sorted else list(dict.fromkeys(listed))
    out = np.array(kept).reshape(-1) if not attrs else np.moveaxis(np.array(kept), 0, attrs["axis"])
    first, counts = [listed.index(item) for item in kept], [listed.count(item) for item in kept]
    inverse = [kept.index(item) for item in listed]
    same(list(found.values()), [out, np.array(first), np.array(inverse), np.array(counts)])
