"""col2im, center_crop_pad, depth_to_space and space_to_depth, element by element."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.kernels.host.checked import checked, filled, numbers, same, whole


@pytest.mark.parametrize("strides", [(1, 1), (2, 1)])
@pytest.mark.parametrize("dilations", [(1, 1), (1, 2)])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (1, 0, 0, 2)])
def test_col2im_adds_up_columns(
    strides: tuple[int, ...], dilations: tuple[int, ...], pads: tuple[int, ...]
) -> None:
    image, block = (5, 6), (2, 3)
    counts = [
        (size + pads[n] + pads[n + 2] - dilations[n] * (block[n] - 1) - 1) // strides[n] + 1
        for n, size in enumerate(image)
    ]
    x = numbers(2, 3 * block[0] * block[1], counts[0] * counts[1])
    wanted = np.zeros((2, 3, *image), np.float32)
    parts = x.reshape(2, 3, *block, *counts)
    for n, c, i, j, a, b in itertools.product(*map(range, parts.shape)):
        row = a * strides[0] + i * dilations[0] - pads[0]
        column = b * strides[1] + j * dilations[1] - pads[1]
        if 0 <= row < image[0] and 0 <= column < image[1]:
            wanted[n, c, row, column] += parts[n, c, i, j, a, b]
    attrs = {"strides": [*strides], "dilations": [*dilations], "pads": [*pads]}

    (found,) = checked("col2im", {"X": x, "ImageShape": whole(*image), "BlockShape": whole(*block)}, attrs)

    same(found, wanted)


@pytest.mark.parametrize("shape", [(5, 4), (3, 7), (8, 1), (2, 2)])
@pytest.mark.parametrize("axes", [[], [1, 0], [-1, -2]])
def test_center_crop_pad_keeps_the_middle(shape: tuple[int, int], axes: list[int]) -> None:
    x = numbers(5, 4)
    sizes = [0, 0]
    for axis, size in zip(axes or [0, 1], shape, strict=True):
        sizes[axis] = size

    def element(*at: int) -> float:
        places = []
        for n, (place, size) in enumerate(zip(at, sizes, strict=True)):
            more = x.shape[n] - size
            places.append(place + more // 2 if more >= 0 else place - (-more) // 2)
        inside = all(0 <= p < x.shape[n] for n, p in enumerate(places))
        return float(x[tuple(places)]) if inside else 0.0

    (found,) = checked("center_crop_pad", {"X": x, "Shape": whole(*shape)}, {"axes": axes})

    same(found, filled(sizes, np.float32, element))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_depth_to_space_moves_channels_to_pixels(size: int) -> None:
    x = numbers(2, 2 * size * size, 3, 2)

    def element(n: int, c: int, row: int, column: int) -> float:
        square = row % size * size + column % size
        return float(x[n, square * 2 + c, row // size, column // size])

    (found,) = checked("depth_to_space", {"X": x}, {"blocksize": size})

    same(found, filled((2, 2, 3 * size, 2 * size), np.float32, element))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("first", [False, True])
def test_space_to_depth_moves_pixels_to_channels(size: int, first: bool) -> None:
    x = numbers(2, 3, 2 * size, size)

    def element(n: int, channel: int, row: int, column: int) -> float:
        square, c = (channel % size**2, channel // size**2) if first else (channel // 3, channel % 3)
        return float(x[n, c, row * size + square // size, column * size + square % size])

    (found,) = checked("space_to_depth", {"X": x}, {"blocksize": size, "channels_first": first})

    same(found, filled((2, 3 * size * size, 2, 1), np.float32, element))
