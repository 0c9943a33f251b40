"""Resizing of the SDK against a loop over elements."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close, floats
from tests.bridges.sim_npu.sdk.program_run import refusal, run


def position_of(index: int, image: int, size: int, align: str) -> float:
    """The position in the image of pixel `index` of the result."""
    if align == "CORNERS":
        return index * (image - 1) / (size - 1) if size > 1 else 0
    step = image / size if size > 1 else 0
    return max((index + 0.5) * step - 0.5, 0) if align == "CENTRES" else index * step


def resize_by_loops(x: Array, size: tuple[int, int], mode: str, align: str) -> Array:
    """Each pixel from its position in the image."""
    y = np.empty((*x.shape[:2], *size))
    for n, c, i, j in np.ndindex(y.shape):
        row, column = (
            position_of(at, image, out, align)
            for at, image, out in zip((i, j), x.shape[2:], size, strict=True)
        )
        if mode == "NEAREST":
            half = 0.5 if align == "CORNERS" else 0
            top, left = (
                min(math.floor(at + half), edge - 1)
                for at, edge in zip((row, column), x.shape[2:], strict=True)
            )
            y[n, c, i, j] = x[n, c, top, left]
        else:
            top, left = min(int(row), x.shape[2] - 1), min(int(column), x.shape[3] - 1)
            low, right = min(top + 1, x.shape[2] - 1), min(left + 1, x.shape[3] - 1)
            down, across = row - top, column - left
            y[n, c, i, j] = (1 - down) * (
                (1 - across) * x[n, c, top, left] + across * x[n, c, top, right]
            ) + (down * ((1 - across) * x[n, c, low, left] + across * x[n, c, low, right]))
    return y


@pytest.mark.parametrize("size", [(8, 10), (4, 5), (3, 2), (1, 1), (5, 7)])
@pytest.mark.parametrize(
    ("mode", "align"),
    [
        ("NEAREST", "TOP"),
        ("NEAREST", "CORNERS"),
        ("LINEAR", "TOP"),
        ("LINEAR", "CENTRES"),
        ("LINEAR", "CORNERS"),
    ],
)
def test_resize_equals_a_loop(mode: str, align: str, size: tuple[int, int]) -> None:
    x = floats(2, 3, 4, 5)

    (result,) = run("RESIZE", x, size=size, mode=mode, align=align)

    assert_close(result, resize_by_loops(x, size, mode, align).astype(np.float32), 1e-5)


def test_centres_with_nearest_is_an_error() -> None:
    assert refusal("RESIZE", floats(1, 1, 2, 2), size=(4, 4), mode="NEAREST", align="CENTRES") == (
        "NPU-103 INVALID_ATTRIBUTE: RESIZE: align CENTRES is for mode LINEAR only"
    )


def test_a_size_of_other_than_two_positive_integers_is_an_error() -> None:
    assert refusal("RESIZE", floats(1, 1, 2, 2), size=(4,), mode="LINEAR", align="TOP") == (
        "NPU-103 INVALID_ATTRIBUTE: RESIZE: size must be a list of 2 integers, got [4]"
    )
    assert refusal("RESIZE", floats(1, 1, 2, 2), size=(4, 0), mode="LINEAR", align="TOP") == (
        "NPU-104 INVALID_SHAPE: RESIZE: [1, 1, 4, 0]: sizes must be integers of at least 1"
    )
