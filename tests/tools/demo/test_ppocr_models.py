"""Timing in turn, and what the models are fed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.tools.demo.ppocr_models import OcrModel, interleaved


def test_both_run_as_often_and_take_turns_at_being_first() -> None:
    seen: list[str] = []

    first, second = interleaved(
        lambda: seen.append("a"), lambda: seen.append("b"), 4, lambda: seen.append("|")
    )

    assert "".join(seen) == "ab|ba|ab|ba|"
    assert first >= 0
    assert second >= 0


def test_the_image_has_strokes_and_is_always_the_same() -> None:
    model = OcrModel("rec", Path("a"), Path("b"), (1, 3, 48, 320))

    image = model.image()

    assert image.shape == model.shape
    assert image.dtype == np.float32
    assert image.flags.c_contiguous
    assert image.max() == np.float32(0.6)
    assert image.min() < -0.4
    np.testing.assert_array_equal(image, model.image())
