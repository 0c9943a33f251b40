"""Inputs that are images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.errors import InputError
from lite.ir.types import DType
from lite.tools.arrays.images import DEVIATION, MEAN, drawn_image, is_image, read_image


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        ((1, 3, 224, 224), DType.FLOAT32, True),
        (("n", 3, "h", "?"), DType.FLOAT32, True),
        ((1, 224, 224, 3), DType.UINT8, True),
        ((1, 1, 28, 28), DType.FLOAT16, True),
        ((1, 4, 224, 224), DType.FLOAT32, False),
        ((1, 3, 8, 224), DType.FLOAT32, False),
        ((1, 3, 224), DType.FLOAT32, False),
        ((1, 3, 224, 224), DType.BOOL, False),
        (None, DType.FLOAT32, False),
    ],
)
def test_an_image_has_one_or_three_channels(
    shape: tuple[int | str, ...] | None, dtype: DType, expected: bool
) -> None:
    assert is_image(shape, dtype) is expected


def test_a_drawn_image_depends_on_its_seed_only() -> None:
    first = drawn_image((2, 3, 32, 48), DType.FLOAT32, (0, 1))
    assert (first.shape, str(first.dtype)) == ((2, 3, 32, 48), "float32")
    assert np.array_equal(first, drawn_image((2, 3, 32, 48), DType.FLOAT32, (0, 1)))
    assert not np.array_equal(first, drawn_image((2, 3, 32, 48), DType.FLOAT32, (0, 2)))
    assert not np.array_equal(first[0], first[1])
    assert first.std() > 0.3
    last = drawn_image((1, 40, 32, 1), DType.UINT8, (0, 0))
    assert (last.shape, str(last.dtype)) == ((1, 40, 32, 1), "uint8")
    assert last.max() > 200


def test_a_file_is_resized_and_normalised(tmp_path: Path) -> None:
    Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = tmp_path / "photo.png"
    Image.new("RGB", (60, 40), (255, 0, 51)).save(path)

    floats = read_image(path, (1, 3, 24, 32), DType.FLOAT32, "x")
    expected = [
        (value - mean) / deviation
        for value, mean, deviation in zip((1, 0, 0.2), MEAN, DEVIATION, strict=True)
    ]
    np.testing.assert_allclose(
        floats, np.broadcast_to(np.reshape(expected, (1, 3, 1, 1)), (1, 3, 24, 32)), atol=1e-6
    )

    integers = read_image(path, ("n", "h", "w", 3), DType.UINT8, "x")
    assert integers.shape == (1, 32, 64, 3)
    assert integers[0, 0, 0].tolist() == [255, 0, 51]

    with pytest.raises(InputError, match=r"is an image, but the input has \[1, 4\]"):
        read_image(path, (1, 4), DType.FLOAT32, "x")
    (tmp_path / "bad.png").write_bytes(b"no image")
    with pytest.raises(InputError, match="cannot be read as an image"):
        read_image(tmp_path / "bad.png", (1, 3, 24, 32), DType.FLOAT32, "x")
