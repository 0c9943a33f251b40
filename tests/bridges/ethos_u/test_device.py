"""The Ethos-U as a build-only device: Vela's files, integers at the edges, reasons."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.ethos_u.device import EthosU
from lite.bridges.ethos_u.edges import integer_edges
from lite.bridges.ethos_u.model import EthosUModel
from lite.bridges.ethos_u.vela import cpu_reasons
from lite.emission.tflite.builder import Builder
from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device import Evidence, Settings
from lite.tools.analysis.device_build import build_regions, check_folder
from tests.bridges.devices import ETHOS_U
from tests.bridges.region import reasons
from tests.support.data_folders import SHARED

MODEL = SHARED / "models" / "onnx_quant" / "qdq_u8s8_bnfolded_cnn"


def built(accelerator: str, folder: Path) -> lite.Predictor:
    """A build of a quantised network for one image."""
    ETHOS_U.open()
    if not MODEL.is_dir():
        pytest.skip("the quantised models are not beside the checkout")
    image = recorded()["in:x"][:1]
    device = f"ethos_u{{accelerator={accelerator}}}"
    config = lite.Config(str(MODEL / "model.onnx"), devices=[device], input_shapes={"x": image.shape})
    predictor = lite.create_predictor(config)
    build_regions(predictor, {"x": image}, folder)
    return predictor


def recorded() -> dict[str, Array]:
    with np.load(MODEL / "reference.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", "ethos-u65-256", "ethos-u85-256"])
def test_a_network_is_one_region_with_vela_s_numbers(accelerator: str, tmp_path: Path) -> None:
    predictor = built(accelerator, tmp_path / "built")

    (model,) = predictor.built_models()
    assert (model.state, model.reason.startswith("ethos_u only builds models here")) == ("host", True)
    assert {"conv2d", "matmul_v2"} & {op for _, op in model.ops}
    summary = json.loads(model.files["summary.json"])
    assert summary["accelerator_configuration"].lower().replace("_", "-") == accelerator
    assert float(summary["cycles_total"]) > 0
    assert float(summary["sram_memory_used"]) > 0
    assert b"ethos-u" in model.files["region_vela.tflite"]
    assert check_folder(tmp_path / "built").problems == []


def test_the_integers_of_a_region_equal_the_network(tmp_path: Path) -> None:
    interpreter_module = pytest.importorskip("ai_edge_litert.interpreter")
    (model,) = built("ethos-u55-128", tmp_path / "built").built_models()
    edges = json.loads(model.files["edges.json"])
    (source,), (target,) = edges["inputs"], edges["outputs"]
    interpreter = interpreter_module.Interpreter(model_content=model.files["region.tflite"])
    interpreter.allocate_tensors()

    image = recorded()["in:x"][:1].transpose(0, 2, 3, 1)
    assert source["shape"] == list(image.shape)
    integers = np.clip(np.rint(image / source["scale"]) + source["zero_point"], -128, 127).astype(np.int8)
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], integers)
    interpreter.invoke()
    stored = interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).astype(np.float32)

    expected = recorded()["out:y"][:1]
    result = (stored - target["zero_point"]) * target["scale"]
    assert np.abs(result - expected).max() <= 0.04 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"accelerator": "ethos-u99"}, "accelerator: expected one of ethos-u55-32,"),
        ({"optimise": "Luck"}, "optimise: expected Performance or Size, got 'Luck'"),
    ],
)
def test_an_option_out_of_range_is_a_reason(options: dict[str, str], reason: str) -> None:
    found = EthosU(EthosU.Options(**options), Settings()).available()

    assert found is not None
    assert found.startswith(reason)


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.bridges.ethos_u.device.is_installed", lambda: False)

    reason = EthosU(EthosU.Options(), Settings()).available()

    assert reason == "ethos-u-vela is not installed; pip install 'litebridge[ethos-u]'"


def test_real_numbers_are_declined() -> None:
    text = "graph main(%x: float32[1,4]) { Out=%y = relu(X=%x) {} return %y }"

    (reason,) = reasons(EthosU(EthosU.Options(), Settings()), text)

    assert reason == "X is %x, which is not quantised; the Ethos-U computes int8"


def test_inputs_and_outputs_become_integers() -> None:
    b, meta = Builder(), Meta(DType.FLOAT32, (4,), quant=Quant((0.5,), (0,), -1, DType.INT8))
    x = b.rounded("x", b.input("x", meta), meta)
    b.output("y", b.reshape(x, (2, 2)))

    graph = integer_edges(b.finished())

    assert [operator.code for operator in graph.operators] == ["RESHAPE"]
    assert [tensor.dtype for _, tensor in (*graph.inputs, *graph.outputs)] == [DType.INT8, DType.INT8]


def test_a_stored_model_has_the_same_files() -> None:
    device = EthosU(EthosU.Options(), Settings())
    model = EthosUModel({"region.tflite": b"abc"}, 3, 1)

    loaded = device.load(model.serialize())

    assert loaded.files() == {"region.tflite": b"abc"}
    assert loaded.evidence() == Evidence("Vela", 3, ["1 operators on the CPU"])
    with pytest.raises(CompileError, match="ethos_u: expected a stored model, got 5 other bytes"):
        device.load(b"other")


def test_vela_s_reasons_are_one_line() -> None:
    report = (
        "Warning (supported operators) operator: MEAN, ofm: 'gap'\nReason: Batch > 1: 2, 8\n\n"
        "Warning (supported operators) operator: EXP, ofm: 'e'\nReason: Unsupported opType\n"
    )

    assert cpu_reasons(report) == "MEAN: Batch > 1: 2, 8; EXP: Unsupported opType"
