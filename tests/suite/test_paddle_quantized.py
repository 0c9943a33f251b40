"""Quantised Paddle models and single operators beside this checkout, against Paddle's own results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.data_folders import SHARED
from tests.support.device_availability import require

OPS, MODELS = SHARED / "quant_ops", SHARED / "models" / "paddle_quant"
TIES = {"new_api_qat_transformer": 1 / 127}
"""Models in which a sum in another order rounds an activation to the next integer: one 8-bit step."""

NO_PASSES = ["generate_program_pass"]


def folders(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/reference.npz"))


def outputs(path: Path, **options: object) -> list[tuple[Array, Array]]:
    """Each output with its reference."""
    reference = np.load(path / "reference.npz")
    inputs = {name[3:]: reference[name] for name in reference.files if name.startswith("in:")}
    results = lite.create_predictor(lite.Config(path, **options)).run(inputs)  # type: ignore[arg-type]
    expected = [reference[name] for name in reference.files if name.startswith("out:")]
    assert len(results) == len(expected)
    return list(zip(results.values(), expected, strict=True))


@pytest.mark.skipif(not OPS.is_dir(), reason="no operators in shared/quant_ops/")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"valid_places": ["host"]},
        {"passes": NO_PASSES},
        {"devices": ["openvino"]},
        {"devices": ["onnxruntime"]},
    ],
    ids=["cpu", "host", "no_passes", "openvino", "onnxruntime"],
)
@pytest.mark.parametrize("path", folders(OPS), ids=lambda path: path.name)
def test_an_operator_is_exact(path: Path, options: dict[str, object]) -> None:
    for device in options.get("devices", ()):  # type: ignore[attr-defined]
        require(device)
    for result, expected in outputs(path, **options):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.skipif(not OPS.is_dir(), reason="no operators in shared/quant_ops/")
@pytest.mark.parametrize("path", folders(OPS), ids=lambda path: path.name)
def test_a_saved_operator_is_exact(path: Path, tmp_path: Path) -> None:
    lite.save_program(lite.create_predictor(lite.Config(path)).optimized_program(), tmp_path)
    reference = np.load(path / "reference.npz")
    inputs = {name[3:]: reference[name] for name in reference.files if name.startswith("in:")}
    expected = [reference[name] for name in reference.files if name.startswith("out:")]
    results = lite.create_predictor(lite.Config(tmp_path)).run(inputs)
    for result, array in zip(results.values(), expected, strict=True):
        np.testing.assert_array_equal(result, array)


@pytest.mark.skipif(not MODELS.is_dir(), reason="no models in shared/models/paddle_quant/")
@pytest.mark.parametrize(
    "options",
    [{}, {"precision": "strict"}, {"valid_places": ["host"]}, {"passes": NO_PASSES}],
    ids=["cpu", "strict", "host", "no_passes"],
)
@pytest.mark.parametrize("path", folders(MODELS), ids=lambda path: path.name)
def test_a_model_is_equal(path: Path, options: dict[str, object]) -> None:
    for result, expected in outputs(path, **options):
        assert np.abs(result - expected).max() <= TIES.get(path.name, 1e-5) * np.abs(expected).max()


@pytest.mark.skipif(not MODELS.is_dir(), reason="no models in shared/models/paddle_quant/")
@pytest.mark.parametrize("device", ["openvino", "onnxruntime"])
@pytest.mark.parametrize("path", folders(MODELS), ids=lambda path: path.name)
def test_devices_agree(path: Path, device: str) -> None:
    """Within two steps: devices add in another order, and round halves in another way."""
    require(device)
    for result, expected in outputs(path, devices=[device], fallback="error"):
        assert np.abs(result - expected).max() <= 2 / 127 * np.abs(expected).max()


@pytest.mark.skipif(not MODELS.is_dir(), reason="no models in shared/models/paddle_quant/")
@pytest.mark.parametrize("path", folders(MODELS), ids=lambda path: path.name)
def test_a_saved_model_is_equal(path: Path, tmp_path: Path) -> None:
    reference = np.load(path / "reference.npz")
    predictor = lite.create_predictor(lite.Config(path))
    inputs = {name[3:]: reference[name] for name in reference.files if name.startswith("in:")}
    expected = predictor.run(inputs)

    lite.save_program(predictor.optimized_program(), tmp_path)
    results = lite.create_predictor(lite.Config(tmp_path)).run(inputs)

    for result, array in zip(results.values(), expected.values(), strict=True):
        np.testing.assert_allclose(result, array, rtol=0, atol=1e-5 * np.abs(array).max())
