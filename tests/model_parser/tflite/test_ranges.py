"""Ranges whose positions are computed, and empty constants, equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Case, case, f32, ints, noise

X = noise(3, 4, 5)
SHRINK = 4
"""The option of STRIDED_SLICE that removes axes."""


@pytest.mark.parametrize("computed", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize("sizes", [(2, 3, 2), (-1, 1, -1), (1, -1, 3)])
def test_slice(computed: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    begin = (1, 0, 2)
    shape = [n - start if size < 0 else size for n, start, size in zip(X.shape, begin, sizes, strict=True)]
    operands = {1: ints(*begin), 2: ints(*sizes)}
    constants = {place: array for place, array in operands.items() if place not in computed}
    inputs = [X, *(operands[place] for place in computed)]
    check(case("slice", "SLICE", inputs, f32(*shape), constants=constants))


@pytest.mark.parametrize("computed", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize(
    ("starts", "ends", "steps", "masks"),
    [
        ((0, 1, 1), (3, 3, 5), (1, 1, 2), {}),
        ((2, 1, -1), (3, -1, -6), (1, 2, -1), {}),
        ((2, 3, 1), (0, 0, 0), (1, 1, 1), {0: ("i", 1), 1: ("i", 7)}),
        ((1, -1, 1), (2, 0, 4), (1, 1, 1), {SHRINK: ("i", 3)}),
    ],
)
def test_strided_slice(
    computed: tuple[int, ...],
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    steps: tuple[int, ...],
    masks: dict[int, tuple[str, int]],
) -> None:
    cut = [slice(*each) for each in zip(starts, ends, steps, strict=True)]
    if masks.get(1):
        cut = [slice(None), slice(3, None), slice(1, None)]
    result = X[1, -1, 1:4] if SHRINK in masks else X[tuple(cut)]
    operands = {1: ints(*starts), 2: ints(*ends), 3: ints(*steps)}
    constants = {place: array for place, array in operands.items() if place not in computed}
    inputs = [X, *(operands[place] for place in computed)]
    check(case("cut", "STRIDED_SLICE", inputs, f32(*result.shape), masks, constants=constants))


def test_tile() -> None:
    check(case("tile", "TILE", [X, ints(2, 1, 3)], f32(6, 4, 15)))


@pytest.mark.parametrize("op", ["PAD", "PADV2"])
def test_paddings(op: str) -> None:
    values = [np.array([7], np.float32)] if op == "PADV2" else []
    check(case("pad", op, [X, ints(0, 1, 2, 0, 1, 3).reshape(3, 2), *values], f32(4, 6, 9)))


@pytest.mark.parametrize("op", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
@pytest.mark.parametrize("half_pixels", [False, True])
def test_sizes_of_images(op: str, half_pixels: bool) -> None:
    options = {(3 if op == "RESIZE_BILINEAR" else 1): ("b", int(half_pixels))}
    check(case("resize", op, [noise(1, 4, 5, 3), ints(7, 9)], f32(1, 7, 9, 3), options))


@pytest.mark.parametrize(("height", "width"), [(8, 15), (4, 10), (8, 9)])
def test_pixels_that_are_repeated(height: int, width: int) -> None:
    """By whole factors, and by others."""
    options, size = {1: ("b", 1)}, {1: ints(height, width)}
    image, result = noise(1, 4, 5, 3), f32(1, height, width, 3)
    check(case("resize", "RESIZE_NEAREST_NEIGHBOR", [image], result, options, constants=size))


def test_computed_strides_are_refused() -> None:
    model = case("cut", "STRIDED_SLICE", [X, *[ints(0, 0, 0)] * 3], f32(3, 4, 5)).model
    with pytest.raises(ModelParseError, match=r"input 3 .*: expected a constant"):
        lite.load_program(ModelSource(model=model))


def test_an_empty_constant_is_the_shape_of_a_scalar() -> None:
    builder = TfliteBuilder()
    x, y, z = builder.tensor("x", (1,)), builder.tensor("y", ()), builder.tensor("z", (2,))
    builder.op("RESHAPE", [x, builder.tensor("shape", (0,), "int32")], [y])
    builder.op("ADD", [y, builder.constant("one", np.array([1, 2], np.float32))], [z])
    check(Case("scalar", builder.model([x], [z]), [noise(1)]))
