"""layout against numpy's moveaxis."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run
from tests.kernels.cpu.split_work import split_work

SHAPES = [(1, 3, 5, 7), (2, 16, 8, 8), (1, 19, 9, 11), (1, 1, 4, 5), (2, 5, 1, 1), (0, 3, 2, 2)]


@pytest.mark.parametrize("shape", SHAPES)
def test_images_move_to_nhwc_and_back(shape: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    [there], is_compiled = run("layout", {"X": x}, {"from": "nchw", "to": "nhwc"})
    assert is_compiled == (0 not in shape)
    np.testing.assert_array_equal(there, np.moveaxis(x, 1, 3))
    [back], _ = run("layout", {"X": there}, {"from": "nhwc", "to": "nchw"})
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize("shape", [*SHAPES, *((2, channels, 17, 13) for channels in range(1, 10))])
def test_bytes_move_to_nhwc_and_back(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    [there], is_compiled = run("layout", {"X": x}, {"from": "nchw", "to": "nhwc"})
    assert is_compiled == (0 not in shape)
    np.testing.assert_array_equal(there, np.moveaxis(x, 1, 3))
    [back], _ = run("layout", {"X": there}, {"from": "nhwc", "to": "nchw"})
    np.testing.assert_array_equal(back, x)


def test_parts_of_an_image_move_on_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).integers(0, 256, (1, 3, 64, 50), np.uint8)
    split_work(monkeypatch)
    bound = bind("layout", {"X": x}, {"from": "nchw", "to": "nhwc"}, threads=2)
    np.testing.assert_array_equal(bound(), np.moveaxis(x, 1, 3))


def test_signed_bytes_move_on_the_host() -> None:
    x = np.arange(24, dtype=np.int8).reshape(1, 2, 3, 4)
    [there], is_compiled = run("layout", {"X": x}, {"from": "nchw", "to": "nhwc"})
    assert not is_compiled
    np.testing.assert_array_equal(there, np.moveaxis(x, 1, 3))
