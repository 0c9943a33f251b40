"""Comparison of TFLite models with TensorFlow Lite's interpreter at test time."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from tests.model_parser.tflite.models import Case
from tests.record_tflite import run


def check(case: Case, *, step: int = 0, tolerance: float = 1e-5) -> None:
    """Compare all outputs: real numbers closely, integers within `step`.

    Skips the test where the interpreter is not installed.
    """
    pytest.importorskip("ai_edge_litert", reason="the outputs are those of its interpreter")
    config = lite.Config(model_buffer=case.model, valid_places=["host"], debug=True)
    predictor = lite.create_predictor(config)
    results = list(predictor.run(dict(zip(predictor.input_names, case.inputs, strict=True))).values())
    expected = run(case)
    assert len(results) == len(expected) > 0
    for result, array in zip(results, expected, strict=True):
        assert (result.dtype, result.shape) == (array.dtype, array.shape)
        if array.dtype.kind == "f":
            np.testing.assert_allclose(result, array, rtol=tolerance, atol=tolerance)
        elif step:
            assert np.abs(result.astype(int) - array.astype(int)).max() <= step
        else:
            np.testing.assert_array_equal(result, array)
