"""DFT, STFT, windows and the mel weight matrix."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    check_equal,
    model_of,
    run,
)

REAL = np.random.default_rng(0).standard_normal((2, 7, 1)).astype(np.float32)
COMPLEX = np.random.default_rng(1).standard_normal((2, 7, 2)).astype(np.float32)


@pytest.mark.parametrize(
    ("onesided", "inverse", "complex_"), [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
)
@pytest.mark.parametrize("length", [None, np.array(5)])
def test_dft_with_its_axis_as_attribute_and_as_input(
    onesided: int, inverse: int, complex_: int, length: np.ndarray | None
) -> None:
    x = COMPLEX if complex_ else REAL
    attrs = {"onesided": onesided, "inverse": inverse}

    check_against_reference("DFT", [x, length, np.array(1)], attrs, opset=20, constants=[2], tolerance=1e-4)
    check_against_reference("DFT", [x, length], {**attrs, "axis": 1}, opset=17, tolerance=1e-4)


@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_windows_by_their_formulas(op: str, periodic: int) -> None:
    attrs = {"periodic": periodic, "output_datatype": TensorProto.DOUBLE}
    size = 10
    angle = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
    expected = {
        "HannWindow": np.sin(angle / 2) ** 2,
        "HammingWindow": 25 / 46 - 21 / 46 * np.cos(angle),
        "BlackmanWindow": 0.42 - 0.5 * np.cos(angle) + 0.08 * np.cos(2 * angle),
    }

    for constants in ((), (0,)):
        model = model_of(op, [np.array(size)], attrs, constants=constants)
        check_equal([run(model, {"x0": np.array(size)})["y0"]], [expected[op]], 1e-7)


def test_mel_weight_matrix_equals_the_reference() -> None:
    sizes = [np.array(8), np.array(16), np.array(8192)]
    edges = [np.array(0, np.float32), np.array(4096, np.float32)]

    check_against_reference("MelWeightMatrix", [*sizes, *edges], tolerance=1e-4)


def test_stft_equals_the_reference() -> None:
    x = np.random.default_rng(0).standard_normal((1, 20, 1)).astype(np.float32)
    window = np.hanning(8).astype(np.float32)

    check_against_reference("STFT", [x, np.array(4), window, np.array(8)], tolerance=1e-4)


def test_stft_of_a_signal_of_rank_2() -> None:
    x, window = np.random.default_rng(0).standard_normal((2, 32)).astype(np.float32), np.hanning(8)
    inputs = [x, np.array(4), window.astype(np.float32), np.array(8)]
    model = model_of("STFT", inputs, opset=17, constants=[1, 2, 3])

    check_against_onnxruntime(model, {"x0": x})
