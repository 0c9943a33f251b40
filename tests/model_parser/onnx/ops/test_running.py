"""CumSum and CumProd."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_sums(axis: int, reverse: int, exclusive: int) -> None:
    attrs = {"exclusive": exclusive, "reverse": reverse}

    matches_reference("CumSum", [X, np.array(axis)], attrs, constants=[1])


def test_exclusive_sum_of_one_element() -> None:
    x = np.array([5.0], np.float32)

    found = run(model_of("CumSum", [x, np.array(0)], {"exclusive": 1}, constants=[1]), {"x0": x})

    same([found["y0"]], [np.zeros(1, np.float32)])


@pytest.mark.parametrize(
    ("exclusive", "reverse", "wanted"),
    [
        (0, 0, [[1, 2, 6], [4, 20, 120]]),
        (1, 0, [[1, 1, 2], [1, 4, 20]]),
        (0, 1, [[6, 6, 3], [120, 30, 6]]),
        (1, 1, [[6, 3, 1], [30, 6, 1]]),
    ],
)
@pytest.mark.parametrize("constants", [(), (1,)])
def test_products(exclusive: int, reverse: int, wanted: Array, constants: tuple[int, ...]) -> None:
    attrs = {"exclusive": exclusive, "reverse": reverse}
    model = model_of("CumProd", [X, np.array(1)], attrs, opset=26, constants=constants)

    same([run(model, {"x0": X, "x1": np.array(1)})["y0"]], [np.array(wanted, np.float32)])
