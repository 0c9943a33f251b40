"""Quantised Paddle models against numpy, and against OpenVINO where it is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import DType
from lite.plugin.device.short_sums import has_short_sums
from lite.quantization.metrics import sqnr
from tests.lite.quantization.models import program, samples, weights

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "models" / "paddle_quant"


@pytest.fixture
def float_model(tmp_path: Path) -> Path:
    lite.save_program(program(), tmp_path / "float")
    return tmp_path / "float"


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({}, 32),
        ({"layers": "all", "method": "min_max"}, 30),
        ({"method": "mse"}, 30),
        ({"method": "percentile", "percentile": 99.9}, 20),
        ({"activations": "float"}, 38),
        ({"activations": "float", "weights": "int4"}, 10),
        ({"activations": "float", "weights": "float16"}, 60),
        ({"per_channel": False}, 20),
    ],
    ids=str,
)
def test_the_saved_model_is_near_the_float_model(
    float_model: Path, tmp_path: Path, options: dict[str, object], least: float
) -> None:
    lite.quantize(float_model, samples(), tmp_path / "int8", **options)  # type: ignore[arg-type]
    feed = samples(9)[8]

    exact, got = (
        lite.create_predictor(lite.Config(path)).run(feed)["y"] for path in (float_model, tmp_path / "int8")
    )

    assert least < sqnr(exact, got) < 100


def test_weights_are_int8_before_dequantize_linear(float_model: Path, tmp_path: Path) -> None:
    lite.quantize(
        float_model, samples(), tmp_path / "int8", rounding="nearest", method="min_max", layers="all"
    )

    saved = lite.load_program(tmp_path / "int8")

    types = [op.type for op in saved.blocks[0].ops]
    pair = ["quantize_linear", "dequantize_linear"]
    assert types == [
        *["feed", *pair, "dequantize_linear", "conv2d", "relu"],
        *[*pair, "dequantize_linear", "depthwise_conv2d", "reduce_mean"],
        *[*pair, "dequantize_linear", "matmul_v2", "fetch"],
    ]
    for name, axis in (("w1", 0), ("w2", 0), ("w3", 1)):
        exact, stored = weights()[name], saved.weights[f"{name}.quantized"].array
        scale = saved.weights[f"{name}.scale"].array
        others = tuple(n for n in range(exact.ndim) if n != axis)
        reach = np.abs(exact).max(axis=others, keepdims=True)
        assert stored.dtype == np.int8
        assert saved.blocks[0].vars[f"{name}.quantized"].dtype is DType.INT8
        np.testing.assert_allclose(scale, reach.reshape(-1), rtol=1e-6)
        assert np.abs(stored - np.rint(exact * 127 / reach)).sum() <= 1
        assert name not in saved.weights
    greatest = max(float(np.abs(sample["x"]).max()) for sample in samples())
    np.testing.assert_allclose(saved.weights["x.scale"].array, [greatest], rtol=1e-6)


def test_kept_layers_and_the_order_of_inputs_are_unchanged(float_model: Path, tmp_path: Path) -> None:
    result = lite.quantize(float_model, samples(), tmp_path / "int8", keep=["y"])

    reasons = {each.layer.name: (each.is_quantized, each.reason) for each in result.choices}
    assert reasons == {
        "a": (True, ""),
        "c": (False, "depthwise convolutions stay in float by default"),
        "y": (False, "the user keeps it"),
    }
    assert {"w2", "w3"} < lite.load_program(tmp_path / "int8").weights.keys()


@pytest.mark.skipif(not SHARED.is_dir(), reason="no models in shared/models/paddle_quant/")
@pytest.mark.parametrize(("name", "least"), [("cnn", 34), ("transformer", 30)])
def test_openvino_computes_the_same(name: str, least: float, tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    source = SHARED / f"float_{name}"
    reference = np.load(source / "reference.npz")
    rng = np.random.default_rng(0)
    data = [{"x": rng.standard_normal(reference["in:x"].shape).astype(np.float32)} for _ in range(16)]

    lite.quantize(source, data, tmp_path)

    (got,) = lite.create_predictor(lite.Config(tmp_path)).run({"x": reference["in:x"]}).values()
    model = tmp_path / "inference.pdmodel"
    properties: dict[str, object] = {"INFERENCE_PRECISION_HINT": "f32"}
    if has_short_sums():
        # In float, as the sums of OpenVINO's integer kernels saturate.
        properties["LP_TRANSFORMS_MODE"] = False
    peer = openvino.Core().compile_model(str(model), "CPU", properties)
    assert sqnr(reference["out:0"], got) > least
    assert sqnr(got, peer([reference["in:x"]])[0]) > 60


@pytest.mark.skipif(not SHARED.is_dir(), reason="no models in shared/models/paddle_quant/")
@pytest.mark.parametrize("options", [{}, {"layers": "all"}, {"activations": "float"}], ids=str)
@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_paddle_computes_the_same(name: str, options: dict[str, object], tmp_path: Path) -> None:
    inference = pytest.importorskip("paddle.inference", reason="paddlepaddle is not installed")
    source = SHARED / f"float_{name}"
    x = np.load(source / "reference.npz")["in:x"]
    rng = np.random.default_rng(0)
    data = [{"x": rng.standard_normal(x.shape).astype(np.float32)} for _ in range(16)]

    lite.quantize(source, data, tmp_path, **options)  # type: ignore[arg-type]

    (got,) = lite.create_predictor(lite.Config(tmp_path)).run({"x": x}).values()
    for is_optimized in (True, False):
        config = inference.Config(*(str(tmp_path / f"inference.{end}") for end in ("pdmodel", "pdiparams")))
        config.disable_gpu()
        config.switch_ir_optim(is_optimized)
        peer = inference.create_predictor(config)
        peer.get_input_handle(peer.get_input_names()[0]).copy_from_cpu(x)
        peer.run()
        expected = peer.get_output_handle(peer.get_output_names()[0]).copy_to_cpu()
        np.testing.assert_allclose(got, expected, rtol=0, atol=np.abs(expected).max() / 127)
