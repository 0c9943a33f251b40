"""Comparison of models with TensorFlow Lite's interpreter at test time: a new one, one run."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.model_parser.tflite.parser import TfliteParser
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.models import Array, Case
from tests.record_tflite import run


def check(case: Case, tolerance: float = 1e-5, expected: list[Array] | None = None, *, step: int = 0) -> None:
    """Compare all outputs, with the default passes, without passes, and on compiled kernels, in two runs.

    Integers may differ by `step`.  Skips the test where the interpreter is not installed.
    """
    pytest.importorskip("ai_edge_litert", reason="the outputs are those of its interpreter")
    expected = run(case) if expected is None else expected
    for target, passes in (("host", None), ("host", []), ("cpu", None)):
        config = lite.Config(model_buffer=case.model, valid_places=[target], passes=passes, debug=True)
        predictor = lite.create_predictor(config)
        for _ in range(2):
            inputs = dict(zip(predictor.input_names, case.inputs, strict=True))
            results = list(predictor.run(inputs).values())
            assert len(results) == len(expected) > 0
            for result, array in zip(results, expected, strict=True):
                assert (result.dtype, result.shape) == (array.dtype, array.shape)
                if array.dtype.kind == "f":
                    np.testing.assert_allclose(result, array, rtol=tolerance, atol=tolerance)
                elif step:
                    assert np.abs(result.astype(int) - array.astype(int)).max() <= step
                else:
                    np.testing.assert_array_equal(result, array)


def error(model: bytes) -> str:
    """The message of the parser for a model."""
    try:
        TfliteParser().parse(ModelSource(model=model))
    except ModelParseError as found:
        return str(found)
    raise AssertionError("the model was read")
