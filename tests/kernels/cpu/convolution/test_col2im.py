"""col2im against the host's kernel, which plain loops check."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ops.window import onnx_windows
from tests.kernels.cpu.bound import floats, run

Numbers = tuple[int, ...]


def folded(image: Numbers, block: Numbers, strides: Numbers, dilations: Numbers, pads: Numbers) -> bool:
    """Compare the results with the host's; returns whether they were compiled."""
    over = onnx_windows(image, block, strides, dilations, pads, "NOTSET")
    counts = [int(window.out(size)) for window, size in zip(over, image, strict=True)]
    inputs = {
        "X": floats(0, 2, 3 * int(np.prod(block)), int(np.prod(counts))),
        "ImageShape": np.array(image), "BlockShape": np.array(block),
    }  # fmt: skip
    attrs = {"strides": [*strides], "dilations": [*dilations], "pads": [*pads]}
    return run("col2im", inputs, attrs, ["ImageShape", "BlockShape"])[1]


@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dilations", [(1, 1), (3, 2)])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (1, 0, 0, 2), (5, 6, 4, 9)])
@pytest.mark.parametrize("image", [(7, 9), (6, 26)])
def test_images(strides: Numbers, dilations: Numbers, pads: Numbers, image: Numbers) -> None:
    assert folded(image, (2, 3), strides, dilations, pads)


def test_lines() -> None:
    assert folded((19,), (4,), (2,), (1,), (1, 2))


@pytest.mark.parametrize(
    ("image", "pads"), [((3, 4, 5), (0,) * 6), ((7, 9), (-1, 0, 0, 0))], ids=["volumes", "cut borders"]
)
def test_others_are_left_to_the_host(image: Numbers, pads: Numbers) -> None:
    ones = (1,) * len(image)

    assert not folded(image, (2,) * len(image), ones, ones, pads)
