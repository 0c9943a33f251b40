"""Max, Min, Sum and Mean against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

ARRAYS = [
    np.array([[1.0, np.nan, 3.0], [4.0, -5.0, 6.0]], np.float32),
    np.array([2.0, 2.0, 2.0], np.float32),
    np.array([[0.0], [9.0]], np.float32),
]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Mean"])
def test_broadcast(op: str, count: int) -> None:
    matches_reference(op, ARRAYS[:count])


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16])
@pytest.mark.parametrize("op", ["Max", "Min"])
def test_dtypes(op: str, dtype: type[np.generic]) -> None:
    matches_reference(op, [np.array([3, 4], dtype), np.array([4, 3], dtype)])


def test_nothing_to_join() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Sum\): expected at least one input"):
        run(model_of("Sum", []), {})
