"""Models of packages that happen to be installed equal ONNX Runtime: ddddocr 1.6.1 and onnx-asr 0.12.0.

``pip install --no-deps --target FOLDER ddddocr==1.6.1 onnx-asr==0.12.0``, and FOLDER in PYTHONPATH, run
them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.device_availability import require
from tests.support.reference_models import difference

pytestmark = pytest.mark.slow

CAPTCHAS = ("common.onnx", "common_old.onnx")
SOUNDS = tuple(
    f"{name}.onnx"
    for name in (
        *("gigaam_v2", "gigaam_v2_conv", "gigaam_v3", "gigaam_v3_conv", "kaldi", "kaldi_conv", "nemo128"),
        *("nemo128_conv", "nemo80", "nemo80_conv", "resample_11_16", "resample_11_8", "resample_16_8"),
        *("resample_22_16", "resample_22_8", "resample_24_16", "resample_24_8", "resample_32_16"),
        *("resample_32_8", "resample_44_16", "resample_44_8", "resample_48_16", "resample_48_8"),
        *("resample_8_16", "wespeaker", "whisper128", "whisper128_conv", "whisper80", "whisper80_conv"),
    )
)
TOLERANCES = {"common_old.onnx": 0.1, "whisper128.onnx": 5e-3, "whisper80.onnx": 5e-3}
"""Larger than usual.

Changes of 1e-6 in the input move ONNX Runtime's own results of common_old as far.  Its STFT of 400 points is
6e-6 off numpy's in float64 (ours 3e-8), which the logarithm in whisper enlarges.
"""

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "host": {"valid_places": ["host"]},
    "cpu": {},
    **{name: {"devices": [name]} for name in ("onnxruntime", "openvino")},
}


def found(package: str, file: str) -> Path:
    """The path of a package's model; the package is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"package {package} is not installed")
    path = next(Path(spec.origin).parent.rglob(file), None)
    assert path is not None
    return path


def check(path: Path, feeds: list[Mapping[str, Array]], configuration: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is what the models are compared to")
    require(*CONFIGURATIONS[configuration].get("devices", []))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    predictor = lite.create_predictor(lite.Config(path, **CONFIGURATIONS[configuration]))
    for fed in feeds:
        expected = dict(zip(predictor.output_names, session.run(predictor.output_names, fed), strict=True))
        assert difference(predictor.run(fed), expected, TOLERANCES.get(path.name, 2e-3)) == ""


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("file", CAPTCHAS)
def test_captchas(file: str, configuration: str) -> None:
    source = np.random.default_rng(1)
    images = [source.uniform(0, 1, (1, 1, 64, width)).astype(np.float32) for width in (160, 96)]

    check(found("ddddocr", file), [{"input1": image} for image in images], configuration)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_the_detector(configuration: str) -> None:
    image = np.random.default_rng(2).uniform(0, 1, (1, 3, 416, 416)).astype(np.float32)

    check(found("ddddocr", "common_det.onnx"), [{"images": image}], configuration)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("file", SOUNDS)
def test_front_ends_of_speech(file: str, configuration: str) -> None:
    source = np.random.default_rng(3)
    feeds: list[Mapping[str, Array]] = []
    for lengths in ([16000], [8000, 6500]):
        sound = np.cumsum(source.standard_normal((len(lengths), max(lengths))), axis=1)
        waves = (sound / np.abs(sound).max()).astype(np.float32)
        feeds.append({"waveforms": waves, "waveforms_lens": np.array(lengths, np.int64)})

    check(found("onnx_asr", file), feeds, configuration)
