"""Quantised ONNX models, which ONNX Runtime and OpenVINO run, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

import lite
from lite.ir.types import Array
from lite.quantization.metrics import sqnr
from tests.lite.quantization.models import onnx_model, samples, save_onnx, weights

onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime runs the written models")


def runtime_output(path: Path, feed: dict[str, Array]) -> Array:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options)
    (output,) = session.run(None, feed)
    result: Array = output
    return result


def quantized(folder: Path, opset: int = 17, **options: Any) -> Path:
    source = save_onnx(folder / "float.onnx", opset)
    lite.quantize(source, samples(), folder / "int8.onnx", **{"layers": "all", **options})
    return folder / "int8.onnx"


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({}, 35),
        ({"layers": "dense"}, 35),
        ({"activations": "symmetric"}, 30),
        ({"method": "mse"}, 33),
        ({"rounding": "nearest"}, 33),
        ({"per_channel": False}, 25),
        ({"activations": "float"}, 38),
        ({"weights": "int4"}, 12),
        ({"activations": "float", "weights": "int4"}, 12),
        ({"activations": "float", "weights": "float16"}, 60),
    ],
    ids=str,
)
def test_other_engines_compute_the_same(options: dict[str, Any], least: float, tmp_path: Path) -> None:
    path = quantized(tmp_path, **options)
    feed = samples(9)[8]

    onnx.checker.check_model(str(path), full_check=True)
    (got,) = lite.create_predictor(lite.Config(model_file=path)).run(feed).values()
    (exact,) = lite.create_predictor(lite.Config(model_file=tmp_path / "float.onnx")).run(feed).values()

    np.testing.assert_allclose(got, runtime_output(path, feed), atol=2e-4 * np.abs(exact).max())
    assert sqnr(exact, got) > least
    openvino = pytest.importorskip("openvino")
    model = openvino.Core().compile_model(str(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    # OpenVINO's integer convolutions round an activation to the next integer now and then: one step of it.
    assert sqnr(got, model([feed["x"]])[0]) > 30


def test_weights_are_int8_and_biases_int32(tmp_path: Path) -> None:
    model = onnx.load(quantized(tmp_path, rounding="nearest", correct_biases=False))

    tensors = {each.name: each for each in model.graph.initializer}
    assert not {"w1", "w2", "w3", "b1", "b3"} & tensors.keys()
    assert all(tensors[f"w{n}_quantized"].data_type == TensorProto.INT8 for n in (1, 2, 3))
    stored, steps = (numpy_helper.to_array(tensors[f"w1_{what}"]) for what in ("quantized", "scale"))
    exact = weights()["w1"]
    np.testing.assert_array_equal(steps, (np.abs(exact).max(axis=(1, 2, 3)) / np.float32(127)))
    np.testing.assert_array_equal(stored, np.rint(exact / steps[:, None, None, None]))
    bias, bias_steps = (numpy_helper.to_array(tensors[f"b1_{what}"]) for what in ("quantized", "scale"))
    assert bias.dtype == np.int32
    np.testing.assert_array_equal(bias_steps, steps * numpy_helper.to_array(tensors["x_scale"]))
    expected = numpy_helper.to_array(onnx_model().graph.initializer[2])
    np.testing.assert_allclose(bias * bias_steps, expected, atol=float(bias_steps.max()))
    zero = tensors["x_zero_point"]
    assert zero.data_type == TensorProto.UINT8


def test_an_activation_of_two_layers_is_quantised_once(tmp_path: Path) -> None:
    model = onnx_model()
    model.graph.node.append(onnx.helper.make_node("Conv", ["b", "w2"], ["z"], group=8))
    model.graph.output.append(onnx.helper.make_tensor_value_info("z", TensorProto.FLOAT, None))
    onnx.save(model, tmp_path / "float.onnx")

    lite.quantize(tmp_path / "float.onnx", samples(), tmp_path / "int8.onnx", layers="all")

    nodes = onnx.load(tmp_path / "int8.onnx").graph.node
    assert [node.input[0] for node in nodes if node.op_type == "QuantizeLinear"] == ["x", "b", "d"]


def test_an_old_opset_is_raised_and_metadata_stay(tmp_path: Path) -> None:
    model = onnx.load(quantized(tmp_path, opset=11))

    assert model.opset_import[0].version == 13
    assert {each.key: each.value for each in model.metadata_props} == {"character": "a b c"}


def test_kept_layers_are_unchanged(tmp_path: Path) -> None:
    model = onnx.load(quantized(tmp_path, keep=["Conv"]))

    operands = {
        node.op_type: list(node.input) for node in model.graph.node if node.op_type in ("Conv", "Gemm")
    }
    assert operands == {"Conv": ["b", "w2"], "Gemm": ["d_dequantized", "w3_dequantized", "b3_dequantized"]}


def test_the_float_model_may_be_a_buffer(tmp_path: Path) -> None:
    config = lite.Config(model_buffer=onnx_model().SerializeToString())

    result = lite.quantize(config, samples(), tmp_path)

    assert [path.name for path in result.files] == ["model.onnx"]
    assert [each.is_quantized for each in result.choices] == [True, False, True]
