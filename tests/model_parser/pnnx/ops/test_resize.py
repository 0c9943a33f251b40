"""Resizing and sampling of images, and exchanges of channels and space."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op

X = noise(1, 2, 4, 5)


@pytest.mark.parametrize("params", ["scale_factor=(2.0,3.0)", "size=(8,15)"])
def test_nearest_by_factors_and_to_a_size(params: str) -> None:
    (output,) = one_op("F.interpolate", [X], f"mode=nearest {params}")
    np.testing.assert_array_equal(output, X.repeat(2, 2).repeat(3, 3))


def test_nearest_of_a_line() -> None:
    (output,) = one_op("nn.Upsample", [X[0]], "mode=nearest scale_factor=2.0 size=None")
    np.testing.assert_array_equal(output, X[0].repeat(2, 2))


def test_linear_with_aligned_corners() -> None:
    x = np.array([[[0.0, 1.0, 4.0]]], np.float32)
    (output,) = one_op("nn.Upsample", [x], "mode=linear size=(5) align_corners=True")
    np.testing.assert_allclose(output, [[[0, 0.5, 1, 2.5, 4]]], rtol=1e-6)


def test_a_mode_for_another_number_of_axes_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"mode trilinear takes 3 spatial axes, got an input with 2"):
        one_op("nn.Upsample", [X], "mode=trilinear size=(5,5,5)")


def test_pixel_unshuffle_and_pixel_shuffle() -> None:
    x = noise(1, 2, 4, 6)
    expected = x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(1, 8, 2, 3)
    (output,) = one_op("nn.PixelUnshuffle", [x], "downscale_factor=2")
    np.testing.assert_array_equal(output, expected)
    np.testing.assert_array_equal(one_op("nn.PixelShuffle", [output], "upscale_factor=2")[0], x)


@pytest.mark.parametrize("params", ["size=(6,3,10)", "scale_factor=(1.5,0.75,2.0)"])
def test_nearest_of_a_volume(params: str) -> None:
    x = noise(1, 2, 4, 4, 5)
    (output,) = one_op("F.upsample_nearest", [x], params)
    at = [np.arange(n) * size // n for n, size in zip((6, 3, 10), x.shape[2:], strict=True)]
    np.testing.assert_array_equal(output, x[:, :, at[0]][:, :, :, at[1]][..., at[2]])


@pytest.mark.parametrize("params", ["size=(7,10)", "scale_factor=(1.75,2.0)"])
def test_nearest_to_the_centres(params: str) -> None:
    (output,) = one_op("F.interpolate", [X], f"mode=nearest-exact {params}")
    rows, columns = (np.floor((np.arange(n) + 0.5) * size / n).astype(int) for n, size in ((7, 4), (10, 5)))
    np.testing.assert_array_equal(output, X[:, :, rows][..., columns])
