"""concat, split, nearest resizing and maxima of bytes on the target cpu against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import as_tuple, bind, run, run_nchw

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def codes(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("widths", [(1, 2), (9, 16, 40), (300, 5)])
def test_parts_are_joined_and_split(widths: tuple[int, ...]) -> None:
    parts = [codes(n, 2, 3, width) for n, width in enumerate(widths)]
    [joined], is_compiled = run("concat", {"X": parts}, {"axis": 2})
    assert is_compiled
    np.testing.assert_array_equal(joined, np.concatenate(parts, 2))

    bound = bind("split", {"X": joined}, {"axis": 2, "sections": list(widths)}, outputs={"Out": len(widths)})
    assert bound.is_compiled
    for part, expected in zip(bound(), parts, strict=True):
        np.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize("channels", [1, 7, 8, 31, 64, 70])
def test_nearest_pixels(channels: int) -> None:
    x = codes(1, 2, channels, 3, 5)
    y, is_compiled = run_nchw("nearest_interp_v2", {"X": x}, {"scale": [2.0, 4.0], "align_corners": False})
    assert is_compiled
    np.testing.assert_array_equal(y, x.repeat(2, 2).repeat(4, 3))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("channels", [1, 7, 31, 32, 70])
def test_maxima_of_windows(channels: int, dtype: type[np.generic]) -> None:
    x = codes(2, 2, channels, 7, 6).view(dtype)
    attrs = {"pooling_type": "max", "ksize": [3, 2], "strides": [2, 1], "paddings": [1, 0]}
    y, is_compiled = run_nchw("pool2d", {"X": x}, attrs)
    assert is_compiled
    lowest = -128 if dtype is np.int8 else 0
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=lowest)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (2, 3))
    np.testing.assert_array_equal(y, windows.max((4, 5))[:, :, ::2])


def test_maxima_of_images() -> None:
    x = codes(3, 2, 40, 7, 6)
    y, is_compiled = run_nchw("pool2d", {"X": x}, {"pooling_type": "max", "global_pooling": True})
    assert is_compiled
    np.testing.assert_array_equal(y, x.max((2, 3), keepdims=True))


def test_a_concat_along_the_first_axis() -> None:
    bound = bind("concat", {"X": [codes(1, 2, 3), codes(2, 1, 3)]}, {"axis": 0})
    assert bound.is_compiled
    [joined] = as_tuple(bound())
    np.testing.assert_array_equal(joined, np.concatenate([codes(1, 2, 3), codes(2, 1, 3)]))
