"""TopK, Unique, ArgMax and ArgMin."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    check_equal,
    model_of,
    run,
)

X = np.array([[3.0, 1.0, 3.0, 2.0], [0.0, 5.0, 4.0, 5.0]], np.float32)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_top_k_equals_the_reference(axis: int, largest: int) -> None:
    attrs = {"axis": axis, "largest": largest}

    check_against_reference("TopK", [X, np.array([2])], attrs, outputs=2, constants=[1])


def test_top_k_of_opset_9() -> None:
    model = model_of("TopK", [X], {"k": 1}, opset=9, outputs=2)

    check_equal(
        list(run(model, {"x0": X}).values()), [np.array([[3.0], [5.0]], np.float32), np.array([[0], [1]])]
    )


@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("attrs", [{}, {"axis": 0}, {"axis": -1}])
def test_unique_in_both_orders(attrs: dict[str, int], is_sorted: int) -> None:
    x = np.array([[2, 0, 2], [1, 1, 1], [2, 0, 2], [0, 3, 0]])

    results = run(model_of("Unique", [x], {**attrs, "sorted": is_sorted}, outputs=4), {"x0": x})

    items = [*x.reshape(-1)] if not attrs else list(np.moveaxis(x, attrs["axis"], 0))
    elements = [tuple(np.reshape(item, -1).tolist()) for item in items]
    kept = sorted(set(elements)) if is_sorted else list(dict.fromkeys(elements))
    out = np.array(kept).reshape(-1) if not attrs else np.moveaxis(np.array(kept), 0, attrs["axis"])
    first, counts = [elements.index(item) for item in kept], [elements.count(item) for item in kept]
    inverse = [kept.index(item) for item in elements]
    check_equal(list(results.values()), [out, np.array(first), np.array(inverse), np.array(counts)])


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_arg_extremes_equal_the_reference(op: str, axis: int, keepdims: int, last: int) -> None:
    x = np.array([[2, 1, 2, 1], [2, 3, 3, 0]], np.int32)

    check_against_reference(op, [x], {"axis": axis, "keepdims": keepdims, "select_last_index": last})


@pytest.mark.parametrize(("shape", "count"), [((2, 9), 0), ((2, 0), 0), ((0, 9), 1), ((0,), 0)])
def test_top_k_of_no_elements(shape: tuple[int, ...], count: int) -> None:
    x = np.ones(shape, np.float32)
    model = model_of("TopK", [x, np.array([count])], outputs=2, constants=[1])

    check_against_onnxruntime(model, {"x0": x})
