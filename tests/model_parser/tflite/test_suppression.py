"""Non-maximum suppression equals TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, case

COUNT = 40


def boxes_and_scores() -> list[Array]:
    """Boxes (y, x, y, x) with corners in any order, and their scores.

    None is empty: the interpreter chooses an empty box again and again.
    """
    source = np.random.default_rng(0)
    return [
        source.uniform(0, size, shape).astype(np.float32) for size, shape in ((4, (COUNT, 4)), (1, COUNT))
    ]


@pytest.mark.parametrize("limit", [1, 5, 60])
@pytest.mark.parametrize("overlap", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("least", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("sigma", [None, 0.0, 0.5])
def test_non_max_suppression(limit: int, overlap: float, least: float, sigma: float | None) -> None:
    numbers = [np.float32(number) for number in (overlap, least, sigma) if number is not None]
    constants = dict(enumerate([np.array(limit, np.int32), *map(np.asarray, numbers)], 2))
    outputs = [((limit,), "int32"), ((limit,), "float32"), ((), "int32")]
    op, kept = ("NON_MAX_SUPPRESSION_V4", outputs[::2])
    if sigma is not None:
        op, kept = "NON_MAX_SUPPRESSION_V5", outputs
    check(case("boxes", op, boxes_and_scores(), kept, constants=constants))
    inputs = [*boxes_and_scores(), *constants.values()]
    check(case("computed", op, inputs, kept))


def test_a_missing_threshold_is_refused() -> None:
    wrong = case("wrong", "NON_MAX_SUPPRESSION_V4", boxes_and_scores(), [((1,), "int32"), ((), "int32")])
    with pytest.raises(ModelParseError, match="expected 5 inputs and 2 outputs, got 2 and 2"):
        lite.load_program(ModelSource(model=wrong.model))


def test_quantised_boxes_are_refused() -> None:
    constants = {2: np.array(1, np.int32), 3: np.array(0.5, np.float32), 4: np.array(0, np.float32)}
    inputs: list[Array] = [np.zeros((2, 4), np.int8), np.zeros(2, np.float32)]
    outputs = [((1,), "int32"), ((), "int32")]
    scales = {0: (0.1, 0)}
    wrong = case("wrong", "NON_MAX_SUPPRESSION_V4", inputs, outputs, constants=constants, scales=scales)
    with pytest.raises(ModelParseError, match="quantised tensors are not supported"):
        lite.load_program(ModelSource(model=wrong.model))
