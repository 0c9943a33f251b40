"""Winograd's convolution of bytes is exact, and chosen only where it is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lite.ir.types import Array, Layout
from lite.kernels.cpu.convolution.convolution import Sizes
from lite.kernels.cpu.quantize import winograd
from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES
from lite.ops.window import Window
from tests.kernels.cpu.bound import bind

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

EXTREMES = {"bytes": np.array([0, 255], np.uint8), "weights": np.array([-128, 127], np.int8)}


def sums_of(x: Array, weight: Array, zero: int, padding: int) -> Array:
    """The sums of products from their definition, of ``uint8[N, H, W, C]`` and ``int8[O, 3, 3, C]``."""
    around = (padding, padding)
    padded = np.pad(x.astype(np.int64) - zero, ((0, 0), around, around, (0, 0)))
    height, width = padded.shape[1] - 2, padded.shape[2] - 2
    sums = np.zeros((len(x), height, width, len(weight)), np.int64)
    for i in range(3):
        for j in range(3):
            sums += padded[:, i : i + height, j : j + width] @ weight[:, i, j].astype(np.int64).T
    return sums


def convolved(x: Array, weight: Array, zero: int, padding: int) -> Array:
    """The sums that the kernel computes, as float32."""
    scale = np.ones(len(weight), np.float32)
    attrs = {"strides": [1, 1], "paddings": [padding] * 2, "dilations": [1, 1], "zero_point": zero}
    kernel = bind(
        "quantized_conv2d",
        {"Input": x, "Filter": weight, "Scale": scale},
        attrs,
        ["Filter", "Scale"],
        layout=Layout.NHWC,
    )
    assert kernel.is_compiled
    result: Array = kernel()
    return result


@pytest.mark.parametrize("values", ["random", "extreme"])
@pytest.mark.parametrize(
    ("batch", "height", "width", "channels", "outputs", "zero", "padding"),
    [
        (1, 24, 28, 2 * LANES, 24, 0, 1),
        (2, 17, 22, 3 * LANES, 37, 131, 1),
        (3, 13, 19, LANES, 16, 255, 0),
        (1, 9, 70, 4 * LANES, 6, 7, 2),
        (1, 4, 5, LANES, 1, 7, 1),
    ],
)
def test_sums_are_exact(
    values: str, batch: int, height: int, width: int, channels: int, outputs: int, zero: int, padding: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(winograd, "is_faster", lambda _, weight: winograd.is_exact(weight))
    rng = np.random.default_rng(channels)
    shapes = (batch, height, width, channels), (outputs, 3, 3, channels)
    if values == "random":
        x = rng.integers(0, 256, shapes[0], np.uint8)
        weight = rng.integers(-127, 128, shapes[1], np.int8)
    else:
        x, weight = rng.choice(EXTREMES["bytes"], shapes[0]), rng.choice(EXTREMES["weights"], shapes[1])
    assert winograd.is_exact(weight)
    expected = sums_of(x, weight, zero, padding).astype(np.float32)
    np.testing.assert_array_equal(convolved(x, weight, zero, padding), expected)


def test_filters_whose_sums_may_exceed_26_bits_are_not_exact() -> None:
    weight = np.ones((2, 3, 3, 2), np.int8)
    assert winograd.is_exact(weight)
    most = 2**25 // 255
    weight = np.full((1, most), 1, np.int8)
    assert winograd.is_exact(weight)
    assert winograd.is_exact(-weight)
    assert not winograd.is_exact(np.pad(weight, ((0, 1), (0, 1)), constant_values=1))
    assert not winograd.is_exact(-np.pad(weight, ((0, 0), (0, 1)), constant_values=1))
    assert winograd.is_exact(np.concatenate([weight, -weight], 1))


WINDOW = Window(kernel=3, stride=1, dilation=1, before=1, after=1)
SIZES = Sizes(1, 32, 40, 32, 32, 40, 24, 1, WINDOW, WINDOW)


@pytest.mark.skipif(not HAS_PAIRS, reason="this processor sums products of bytes by one instruction")
def test_it_is_chosen_for_3x3_windows_of_many_tiles_and_channels() -> None:
    weight = np.ones((24, 3, 3, 32), np.int8)
    assert winograd.is_faster(SIZES, weight)
    strided = dataclasses.replace(WINDOW, stride=2)
    for change in (
        {"groups": 2},
        {"channels": 36},
        {"channels": 8},
        {"out_channels": 12},
        {"out_height": 8, "out_width": 16},
        {"out_height": 3, "out_width": 400},
        {"right": strided},
        {"down": dataclasses.replace(WINDOW, dilation=2)},
    ):
        assert not winograd.is_faster(dataclasses.replace(SIZES, **change), weight), change
