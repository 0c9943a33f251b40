"""OCR models in both formats equal ONNX Runtime, and clones copy no weights."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import lite
from lite.session.build import optimize
from tests.support.ocr_models import TWINS, Twin, each_twin
from tests.support.reference_models import difference


@each_twin
@pytest.mark.parametrize("passes", [None, []], ids=["all passes", "no optional pass"])
def test_the_paddle_form_equals_onnx_runtime(twin: Twin, passes: list[str] | None) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = twin.path("onnx")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    predictor = lite.create_predictor(lite.Config(twin.path("paddle"), passes=passes, precision="strict"))
    for seed in range(2):
        image = twin.image(seed)
        expected = session.run(None, {session.get_inputs()[0].name: image})
        got = predictor.run([image])
        assert difference(got, dict(zip(predictor.output_names, expected, strict=True))) == ""


@each_twin
def test_one_predictor_takes_other_sizes_and_batches(twin: Twin) -> None:
    predictor = lite.create_predictor(lite.Config(twin.path("paddle")))
    image = twin.image(0)
    one = predictor.run([image])
    two = predictor.run([np.repeat(image, 2, axis=0)])
    for name, array in one.items():
        assert two[name].shape == (2, *array.shape[1:])
        for row in two[name]:
            np.testing.assert_allclose(row, array[0], atol=1e-5 * np.abs(array).max())
    half = predictor.run([image[..., : twin.width // 2]])
    alone = lite.create_predictor(lite.Config(twin.path("paddle")))
    assert difference(half, alone.run([image[..., : twin.width // 2]]), 0) == ""


@each_twin
def test_the_onnx_form_equals_onnx_runtime(twin: Twin) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = twin.path("onnx")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    predictor = lite.create_predictor(lite.Config(path, precision="strict"))
    image = twin.image(0)
    expected = session.run(None, {session.get_inputs()[0].name: image})
    got = predictor.run([image])
    assert difference(got, dict(zip(predictor.output_names, expected, strict=True))) == ""


@each_twin
def test_both_forms_have_about_as_many_ops(twin: Twin) -> None:
    counts = []
    for path in (twin.path("paddle"), twin.path("onnx")):
        graph = optimize(lite.load_program(path), lite.Config(path)).graph
        counts.append(len(list(graph)))
    paddle, onnx = counts
    assert abs(onnx - paddle) <= max(1, 0.05 * paddle)


def test_a_clone_copies_no_weights() -> None:
    folder = TWINS[0].path("paddle")
    weights = sum(weight.array.nbytes for weight in lite.load_program(folder).weights.values())
    predictor = lite.create_predictor(lite.Config(folder))
    small = np.zeros((1, 3, 32, 32), np.float32)
    expected = predictor.run([small])
    tracemalloc.start()
    clone = predictor.clone()
    assert difference(clone.run([small]), expected, 0) == ""
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < weights / 4
