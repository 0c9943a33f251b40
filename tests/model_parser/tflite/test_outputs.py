"""TFLite models equal TensorFlow Lite's interpreter, whose outputs ``tests/record_tflite.py`` recorded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lite
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.models import Case, float_cases, network, quantised_cases
from tests.support.data_folders import OWN
from tests.support.device_availability import require

FILE = OWN / "tflite.npz"
FLOAT, QUANTISED = float_cases(), quantised_cases()


def recorded(case: Case) -> list[np.ndarray]:
    """The outputs of the interpreter."""
    with np.load(FILE) as arrays:
        count = sum(name.rpartition("/")[0] == case.name for name in arrays)
        return [arrays[f"{case.name}/{number}"] for number in range(count)]


def outputs(case: Case, target: str = "host", passes: list[str] | None = None) -> list[np.ndarray]:
    """The outputs of litebridge."""
    config = lite.Config(model_buffer=case.model, valid_places=[target], passes=passes, debug=True)
    predictor = lite.create_predictor(config)
    return list(predictor.run(dict(zip(predictor.input_names, case.inputs, strict=True))).values())


def check(case: Case, target: str = "host", passes: list[str] | None = None) -> None:
    """Compare the outputs: real numbers closely, integers of quantised tensors within one step."""
    results, expected = outputs(case, target, passes), recorded(case)
    assert len(results) == len(expected) > 0
    for result, array in zip(results, expected, strict=True):
        assert (result.dtype, result.shape) == (array.dtype, array.shape)
        if array.dtype in (np.int8, np.uint8):
            assert np.abs(result.astype(int) - array.astype(int)).max() <= 1
        else:
            np.testing.assert_allclose(result, array, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("case", FLOAT, ids=lambda case: case.name)
def test_float_ops_equal_the_interpreter(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", QUANTISED, ids=lambda case: case.name)
def test_quantised_models_differ_by_at_most_one_step(case: Case) -> None:
    check(case)
    check(case, passes=[])


@pytest.mark.parametrize("kind", ["float32", "hybrid", "int8"])
def test_networks_on_compiled_kernels(kind: str) -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    check(network(kind), "cpu")


@pytest.mark.parametrize("device", ["openvino", "onnxruntime"])
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_networks_on_devices(kind: str, device: str) -> None:
    require(device)
    case = network(kind)
    config = lite.Config(model_buffer=case.model, devices=[device], fallback="error", debug=True)
    predictor = lite.create_predictor(config)
    (result,) = predictor.run(case.inputs).values()
    tolerance = 1 if kind == "int8" else 1e-5
    np.testing.assert_allclose(result.astype(float), recorded(case)[0].astype(float), atol=tolerance)
    assert {op.placed_on for op in predictor.report().ops} == {device}


def test_only_the_input_is_transposed() -> None:
    config = lite.Config(model_buffer=network("float32").model, valid_places=["host"])
    ops = Counter(op.type for op in lite.create_predictor(config).report().ops)
    assert ops["transpose2"] == 1


def test_a_saved_classic_program_gives_the_same_outputs(tmp_path: Path) -> None:
    case = network("float32")
    (tmp_path / "net.tflite").write_bytes(case.model)
    lite.save_program(lite.load_program(tmp_path / "net.tflite"), tmp_path / "saved")
    predictor = lite.create_predictor(lite.Config(tmp_path / "saved"))
    (result,) = predictor.run(case.inputs).values()
    np.testing.assert_allclose(result, recorded(case)[0], rtol=1e-5, atol=1e-5)


def test_a_batch_of_unknown_size_in_the_signature_may_be_any() -> None:
    builder = TfliteBuilder()
    x = builder.tensor("x", (1, 4), signature=(-1, 4))
    y = builder.tensor("y", (1, 4), signature=(-1, 4))
    builder.op("RELU", [x], [y])
    array = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    predictor = lite.create_predictor(lite.Config(model_buffer=builder.model([x], [y])))
    np.testing.assert_array_equal(predictor.run({"x": array})["y"], array.clip(0))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axes", [[1, 2], [1], [3], [2, 3]])
def test_reductions_of_images_keep_their_axes(axes: list[int], keep: bool) -> None:
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (1, 4, 6, 3)), builder.tensor("y", (1, 2, 3, 3))
    shape = [1 if n in axes else size for n, size in enumerate((1, 2, 3, 3)) if keep or n not in axes]
    z = builder.tensor("z", shape)
    pool = {0: ("b", 1), 1: ("i", 2), 2: ("i", 2), 3: ("i", 2), 4: ("i", 2)}
    builder.op("MAX_POOL_2D", [x], [y], pool)
    builder.op("MEAN", [y, builder.constant("axes", np.array(axes, np.int32))], [z], {0: ("?", keep)})
    array = np.random.default_rng(0).standard_normal((1, 4, 6, 3)).astype(np.float32)
    pooled = array.reshape(1, 2, 2, 3, 2, 3).max((2, 4))
    expected = pooled.mean(tuple(axes), keepdims=keep)
    (result,) = outputs(Case("mean", builder.model([x], [z]), [array]))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
