"""Random graphs of the fuzzer in C, with sanitizers, against the engine."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from lite.config import Config
from lite.errors import CompileError
from lite.session.predictor import create_predictor
from lite.tools.fuzz.graph import generate
from tests.support.compiled_c import compile_model

pytest.importorskip("onnxruntime")

SEEDS = (0, 5, 8, 13, 21, 24, 31, 38, 50, 55)
TOLERANCE = 2e-4


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graphs_equal_the_engine(seed: int, tmp_path: Path) -> None:
    case = generate(random.Random(seed), str(seed))
    if case is None:
        pytest.skip("the draw has no result")
    shapes = {name: array.shape for name, array in case.feeds.items()}
    config = Config(model_buffer=case.model, input_shapes=shapes)
    expected = create_predictor(config).run(dict(case.feeds))
    try:
        model = compile_model(config, tmp_path / "c")
    except CompileError as error:
        assert "cannot be written as C" in str(error)  # noqa: PT017 - some graphs have ops without code
        return

    results = model.run(case.feeds)

    for argument, result in zip(model.export.outputs, results, strict=True):
        wanted = expected[argument.name]
        assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
        if wanted.dtype.kind == "f":
            largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=1e-6)
            np.testing.assert_allclose(result, wanted, rtol=TOLERANCE, atol=TOLERANCE * largest)
        else:
            np.testing.assert_array_equal(result, wanted)
