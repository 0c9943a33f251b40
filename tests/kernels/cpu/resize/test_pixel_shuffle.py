"""pixel_shuffle and depth_to_space against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run_compiled

SHAPES = [((2, 3), (5, 40)), ((3, 2), (4, 3)), ((2, 5), (9, 16))]
"""The side of a square and the channels of the result; height and width of the input."""


@pytest.mark.parametrize(("sizes", "image"), SHAPES)
@pytest.mark.parametrize("batch", [1, 2])
def test_neighbouring_channels_become_squares(
    sizes: tuple[int, int], image: tuple[int, int], batch: int
) -> None:
    side, channels = sizes
    x = floats(1, batch, channels * side**2, *image)
    [result] = run_compiled("pixel_shuffle", {"X": x}, {"upscale_factor": side})
    last = {"upscale_factor": side, "data_format": "NHWC"}
    [in_nhwc] = run_compiled("pixel_shuffle", {"X": np.ascontiguousarray(x.transpose(0, 2, 3, 1))}, last)
    for i in range(side):
        for j in range(side):
            np.testing.assert_array_equal(result[:, :, i::side, j::side], x[:, i * side + j :: side**2])
            pixels = x[:, i * side + j :: side**2].transpose(0, 2, 3, 1)
            np.testing.assert_array_equal(in_nhwc[:, i::side, j::side], pixels)


@pytest.mark.parametrize(("sizes", "image"), SHAPES)
@pytest.mark.parametrize("batch", [1, 2])
def test_distant_channels_become_squares(sizes: tuple[int, int], image: tuple[int, int], batch: int) -> None:
    side, channels = sizes
    x = floats(1, batch, channels * side**2, *image)
    [result] = run_compiled("depth_to_space", {"X": x}, {"blocksize": side})
    for i in range(side):
        for j in range(side):
            place = (i * side + j) * channels
            np.testing.assert_array_equal(result[:, :, i::side, j::side], x[:, place : place + channels])
