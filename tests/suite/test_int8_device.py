"""Float models on a device that computes in int8 only, with measured ranges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.quantization.ranges import measure_ranges
from tests.support.chip_arithmetic import Runs
from tests.support.data_folders import SHARED
from tests.support.ocr_models import TWINS

PADDLE = SHARED / "models" / "paddle"
MODELS = {"mobilenet_v1_x0_25": 224, "mobilenet_v3_small_x0_5": 224, "shufflenet_v2_x0_25": 64, "unet": 64}
DEVICE = "sim_npu{types=int8}"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Compares all regions with the host's integer kernels."""
    return Runs(monkeypatch)


def check(
    model: Path,
    samples: Sequence[Array],
    folder: Path,
    similarity: float,
    runs: Runs,
    method: str = "min_max",
) -> None:
    """Assert that the device does 90 % of the work, and that the first output resembles the float model's.

    Every region computes the same bits as the host's integer kernels.
    """
    measure_ranges(model, [[sample] for sample in samples], folder / "recipe.json", method=method)
    float_model = lite.create_predictor(lite.Config(model))
    shapes = {float_model.input_names[0]: tuple(samples[0].shape)}
    recipe = folder / "recipe.json"
    predictor = lite.create_predictor(
        lite.Config(model, devices=[DEVICE], recipe=recipe, fallback="error", input_shapes=shapes)
    )
    [expected, *_] = float_model.run([samples[0]]).values()
    [result, *_] = predictor.run([samples[0]]).values()

    assert runs.count == len(predictor.report().regions)
    assert not runs.different
    assert predictor.report().to_dict()["coverage"]["sim_npu"]["macs"] >= 0.9
    a, b = result.reshape(-1).astype(np.float64), expected.reshape(-1).astype(np.float64)
    assert a @ b >= similarity * np.sqrt((a @ a) * (b @ b))


@pytest.mark.skipif(not PADDLE.is_dir(), reason="no models in shared/models/paddle/")
@pytest.mark.parametrize("name", MODELS)
def test_the_device_runs_a_model(name: str, runs: Runs, tmp_path: Path) -> None:
    random, size = np.random.default_rng(0), MODELS[name]
    samples = [random.standard_normal((1, 3, size, size)).astype(np.float32) for _ in range(4)]
    check(PADDLE / name, samples, tmp_path, 0.995, runs)


@pytest.mark.parametrize("twin", [twin for twin in TWINS if twin.name in ("det", "own_det")], ids=str)
def test_the_device_runs_a_detector(twin: object, runs: Runs, tmp_path: Path) -> None:
    assert isinstance(twin, type(TWINS[0]))
    samples = [twin.image(seed) for seed in range(2)]
    # A percentile clips the few great values of the detector, which would take most of the 256 numbers.
    check(twin.path("paddle"), samples, tmp_path, 0.9, runs, "percentile")
