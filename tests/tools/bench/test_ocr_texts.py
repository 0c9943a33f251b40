"""The parts of the benchmark that reads pictures on devices."""

from __future__ import annotations

import numpy as np
import pytest

from lite.tools.bench.ocr_texts import WIDTH, Texts, _page, recorded, squared


def test_texts_are_counted_as_often_as_they_occur() -> None:
    texts = Texts("a.png", ("one", "two", "two", "three"), ("two", "one", "four"))

    assert texts.equal == 2
    assert texts.lost == ["two", "three"]
    assert texts.other == ["four"]


def test_the_page_has_the_share_and_the_differences() -> None:
    rows = [Texts("a.png", ("one", "two"), ("one", "too")), Texts("b.png", (), ())]
    lines = _page(rows, {"det": "qnn", "rec": None}).splitlines()

    assert lines[0] == "# Texts: det on qnn, rec on the host"
    assert lines[2] == "1 of 2 texts are as in float32 on the host (50.0%)."
    assert lines[-2:] == ["| a.png | 2 | 1 | `two` | `too` |", "| b.png | 0 | 0 |  |  |"]


def test_a_picture_is_squared_with_the_colour_of_its_border() -> None:
    image = pytest.importorskip("PIL.Image")
    picture = image.new("RGBA", (40, 20), (10, 20, 30, 255))

    pixels = squared(picture, 64)

    assert pixels.shape == (64, 64, 3)
    assert pixels.dtype == np.uint8
    assert (pixels == (10, 20, 30)).all()


def test_what_is_transparent_becomes_white() -> None:
    image = pytest.importorskip("PIL.Image")

    assert (squared(image.new("RGBA", (8, 8), (0, 0, 0, 0)), 32) == 255).all()


def test_images_are_recorded_as_they_were() -> None:
    seen: list[np.ndarray] = []
    image = np.ones((1, 3, 48, WIDTH), np.float32)

    assert recorded(lambda given: [given + 1], seen)(image)[0][0, 0, 0, 0] == 2
    image[:] = 0
    assert [float(each.mean()) for each in seen] == [1.0]
