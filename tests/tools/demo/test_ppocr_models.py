"""Inputs of the models, and timing of two functions in turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.tools.demo.ppocr_models import OcrModel, interleaved


def test_both_functions_run_equally_often_and_the_order_alternates() -> None:
    seen: list[str] = []

    first, second = interleaved(
        lambda: seen.append("a"), lambda: seen.append("b"), 4, lambda: seen.append("|")
    )

    assert "".join(seen) == "ab|ba|ab|ba|"
    assert first >= 0
    assert second >= 0


def test_the_image_has_strokes_and_is_reproducible() -> None:
    model = OcrModel("rec", Path("a"), Path("b"), (1, 3, 48, 320))

    image = model.image()

    assert image.shape == model.shape
    assert image.dtype == np.float32
    assert image.flags.c_contiguous
    assert image.max() == np.float32(0.6)
    assert image.min() < -0.4
    np.testing.assert_array_equal(image, model.image())
