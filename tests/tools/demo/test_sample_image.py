"""The sample picture of the OCR demo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lite.tools.demo import sample_image

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), np.float64)


def test_the_script_draws_the_stored_picture(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.png"
    done = CliRunner().invoke(sample_image.main, ["--to", str(drawn)])

    assert (done.exit_code, done.output) == (0, "")
    # Releases of FreeType differ in the smoothing of edges.
    assert np.abs(pixels(drawn) - pixels(sample_image.PICTURE)).mean() < 1


def test_the_picture_is_small() -> None:
    assert sample_image.PICTURE.stat().st_size < 100_000
