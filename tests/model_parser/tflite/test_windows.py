"""Convolutions of volumes and L2_POOL_2D equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import math
from typing import Any

import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import IMAGE, case, f32, ints, noise

VOLUME = noise(2, 5, 6, 7, 3)
SAME, VALID = 0, 1


def volume_options(
    padding: int, strides: tuple[int, ...], dilations: tuple[int, ...], activation: int
) -> dict[int, Any]:
    """The options of CONV_3D; strides and dilations are (depth, height, width)."""
    options = {0: ("b", padding), 4: ("b", activation)}
    for first, (depth, height, width) in ((1, strides), (5, dilations)):
        options |= {first: ("i", depth), first + 1: ("i", width), first + 2: ("i", height)}
    return options


@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 3)])
@pytest.mark.parametrize("dilations", [(1, 1, 1), (1, 2, 3)])
@pytest.mark.parametrize("bias", [False, True])
def test_conv_3d(padding: int, strides: tuple[int, ...], dilations: tuple[int, ...], bias: bool) -> None:
    kernel = (3, 2, 2)
    sizes = []
    for size, width, step, dilation in zip(VOLUME.shape[1:4], kernel, strides, dilations, strict=True):
        extent = (width - 1) * dilation + 1
        sizes.append(math.ceil((size if padding == SAME else size - extent + 1) / step))
    constants = {1: noise(*kernel, 3, 4, seed=1)} | ({2: noise(4)} if bias else {})
    options = volume_options(padding, strides, dilations, activation=1 if bias else 0)
    check(case("conv", "CONV_3D", [VOLUME], f32(2, *sizes, 4), options, constants=constants))


@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 3), (3, 3, 3)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("padding", "less"), [(SAME, 0), (SAME, 1), (VALID, 0)])
def test_conv_3d_transpose(padding: int, less: int, strides: tuple[int, ...], bias: bool) -> None:
    kernel = (3, 2, 2)
    sizes = []
    for size, width, step in zip(VOLUME.shape[1:4], kernel, strides, strict=True):
        natural = size * step if padding == SAME else (size - 1) * step + width
        sizes.append(natural - (less if step > 1 else 0))
    constants = {0: ints(2, *sizes, 4), 1: noise(*kernel, 4, 3, seed=1)} | ({3: noise(4)} if bias else {})
    options = volume_options(padding, strides, (1, 1, 1), activation=3 if bias else 0)
    check(case("conv", "CONV_3D_TRANSPOSE", [VOLUME], f32(2, *sizes, 4), options, constants=constants))


@pytest.mark.parametrize(("padding", "size"), [(SAME, (3, 3)), (VALID, (2, 2))])
@pytest.mark.parametrize("activation", [0, 1])
def test_l2_pool_2d(padding: int, size: tuple[int, int], activation: int) -> None:
    options = {0: ("b", padding), **dict.fromkeys((1, 2), ("i", 2)), 5: ("b", activation)}
    options |= {3: ("i", 3), 4: ("i", 3)}
    check(case("pool", "L2_POOL_2D", [IMAGE], f32(1, *size, 4), options))


def test_filters_of_images_are_refused() -> None:
    options = volume_options(SAME, (1, 1, 1), (1, 1, 1), 0)
    wrong = case("wrong", "CONV_3D", [VOLUME], f32(2, 5, 6, 7, 4), options, constants={1: noise(3, 2, 3, 4)})
    with pytest.raises(ModelParseError, match=r"expected filters of 5 known sizes, got \[3, 2, 3, 4\]"):
        lite.load_program(ModelSource(model=wrong.model))
