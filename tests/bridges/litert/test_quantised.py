"""Quantised models on LiteRT: some steps from the recorded outputs, and in strict precision close to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.bridges.devices import LITERT
from tests.support.data_folders import SHARED

MODELS = [
    *("onnx_quant/qdq_s8s8_perchannel_cnn", "onnx_quant/qdq_u8s8_bnfolded_cnn"),
    *("onnx_quant/qdq_u8u8_pertensor_cnn", "onnx_quant/qdq_u8s8_perchannel_transformer"),
    *("paddle_quant/new_api_ptq_cnn", "paddle_quant/new_qat_imperative_transformer"),
]

TOLERANCE = 0.04
"""Of the largest output: some steps of the last quantisation."""


def read(name: str) -> tuple[Path, dict[str, Array], list[Array]]:
    """The path of a model, its inputs and outputs; skips where it is absent."""
    folder = SHARED / "models" / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not beside the checkout")
    recorded = np.load(folder / "reference.npz")
    inputs = {key[3:]: recorded[key] for key in recorded.files if key.startswith("in:")}
    outputs = [recorded[key] for key in recorded.files if key.startswith("out:")]
    return next(folder.glob("*.onnx"), folder), inputs, outputs


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("precision", "tolerance"), [("default", TOLERANCE), ("strict", 1e-4)])
def test_quantised_models_equal_the_recorded_outputs(name: str, precision: str, tolerance: float) -> None:
    LITERT.open()
    path, inputs, outputs = read(name)
    shapes = {key: array.shape for key, array in inputs.items()}
    config = lite.Config(
        str(path), devices=["litert"], precision=precision, fallback="error", input_shapes=shapes
    )
    predictor = lite.create_predictor(config)

    results = list(predictor.run(inputs).values())

    for result, expected in zip(results, outputs, strict=True):
        assert np.abs(result - expected).max() <= tolerance * np.abs(expected).max()
    if precision == "default":
        assert predictor.report().to_dict()["coverage"]["litert"]["macs"] == pytest.approx(1)
