"""DynamicQuantizeLSTM, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import (
    QUANTISED,
    check_against_onnxruntime,
    codes,
    contrib_model,
    weights,
)

RNG = np.random.default_rng(13)
STEPS, SIZE, HIDDEN = 6, 5, 4
CONSTANTS = [1, 2, 8, 9, 10, 11]


def _lstm(dtype: type[np.generic], batch: int, directions: int, per_column: bool) -> list[Array | None]:
    """X, W, R, B, four absent inputs, and the scales and zero points of W and R."""
    shape = (directions, 4 * HIDDEN) if per_column else (directions,)
    scales = [RNG.uniform(0.002, 0.01, shape).astype(np.float32) for _ in range(2)]
    zeros = [np.full(shape, 0 if per_column else 3, dtype) for _ in range(2)]
    return [
        RNG.standard_normal((STEPS, batch, SIZE)).astype(np.float32),
        weights((directions, SIZE, 4 * HIDDEN), dtype, 1),
        weights((directions, HIDDEN, 4 * HIDDEN), dtype, 2),
        RNG.standard_normal((directions, 8 * HIDDEN)).astype(np.float32),
        *([None] * 4),
        scales[0],
        zeros[0],
        scales[1],
        zeros[1],
    ]


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("per_column", [False, True])
def test_equals_onnx_runtime(dtype: type[np.generic], batch: int, direction: str, per_column: bool) -> None:
    inputs = _lstm(dtype, batch, 2 if direction == "bidirectional" else 1, per_column)
    attrs: dict[str, Any] = {"hidden_size": HIDDEN, "direction": direction}

    check_against_onnxruntime(
        "DynamicQuantizeLSTM", inputs, attrs, outputs=3, constants=CONSTANTS, tolerance=1e-5
    )


def test_initial_states_and_peepholes() -> None:
    inputs = _lstm(np.int8, 2, 1, False)
    inputs[5:8] = [
        RNG.uniform(-1, 1, shape).astype(np.float32)
        for shape in ((1, 2, HIDDEN), (1, 2, HIDDEN), (1, 3 * HIDDEN))
    ]

    check_against_onnxruntime(
        "DynamicQuantizeLSTM", inputs, {"hidden_size": HIDDEN}, outputs=3, constants=CONSTANTS, tolerance=1e-5
    )


@pytest.mark.parametrize(
    ("position", "array", "constants", "reason"),
    [
        (8, np.array([0.0], np.float32), CONSTANTS, r"input 8 \('x8'\), a scale: expected finite numbers"),
        (
            8,
            np.ones(3, np.float32),
            CONSTANTS,
            r"input 8 \('x8'\): expected an initialiser \[1\] or \[1, 16\]",
        ),
        (9, np.zeros(1, np.uint8), CONSTANTS, r"input 9 \('x9'\), a zero point: expected int8"),
        (
            1,
            codes((1, SIZE, 4 * HIDDEN), np.int8),
            [8, 9, 10, 11],
            r"input 1 \('x1'\): expected an initialiser",
        ),
    ],
)
def test_invalid_weights_are_refused(position: int, array: Array, constants: list[int], reason: str) -> None:
    inputs = _lstm(np.int8, 1, 1, False)
    inputs[position] = array

    with pytest.raises(ModelParseError, match=reason):
        run(contrib_model("DynamicQuantizeLSTM", inputs, {"hidden_size": HIDDEN}, constants=constants), {})
