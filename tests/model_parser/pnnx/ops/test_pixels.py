"""Pixels moved from channels and back equal numpy's, for any leading axes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.pnnx.models import noise, one_op


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_pixels_to_channels_and_back(lead: tuple[int, ...]) -> None:
    x = noise(*lead, 2, 4, 6)
    blocks = x.reshape(*lead, 2, 2, 2, 3, 2)
    moved = np.moveaxis(blocks, (-3, -1), (-4, -3)).reshape(*lead, 8, 2, 3)
    (output,) = one_op("nn.PixelUnshuffle", [x], "downscale_factor=2")
    np.testing.assert_array_equal(output, moved)
    np.testing.assert_array_equal(one_op("F.pixel_shuffle", [moved], "upscale_factor=2")[0], x)
