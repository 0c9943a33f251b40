"""unfold and im2sequence against loops over the windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Lod
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.checked import checked, filled, numbers, same


def framed(x: Array, paddings: list[int], beyond: int = 0) -> Array:
    """Paddings are top, left, bottom, right."""
    top, left, bottom, right = paddings
    return np.pad(x, [(0, 0), (0, 0), (top, bottom + beyond), (left, right + beyond)])


@pytest.mark.parametrize(
    ("kernel", "strides", "paddings", "dilations"),
    [
        ([1, 1], [1, 1], [0, 0, 0, 0], [1, 1]),
        ([2, 3], [1, 2], [0, 0, 0, 0], [1, 1]),
        ([3, 2], [2, 1], [1, 0, 2, 1], [1, 2]),
    ],
)
def test_unfold_gives_windows_as_columns(
    kernel: list[int], strides: list[int], paddings: list[int], dilations: list[int]
) -> None:
    x = numbers(2, 3, 5, 6)
    attrs: dict[str, Any] = {
        "kernel_sizes": kernel,
        "strides": strides,
        "paddings": paddings,
        "dilations": dilations,
    }

    (found,) = checked("unfold", {"X": x}, attrs)

    image = framed(x, paddings)
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    rows, columns = ((image.shape[n + 2] - reach[n]) // strides[n] + 1 for n in range(2))

    def element(n: int, tap: int, position: int) -> Any:
        c, i, j = np.unravel_index(tap, (3, *kernel))
        h, w = divmod(position, columns)
        return image[n, c, h * strides[0] + i * dilations[0], w * strides[1] + j * dilations[1]]

    same(found, filled((2, 3 * kernel[0] * kernel[1], rows * columns), x.dtype, element))


def sequences(x: Array, counts: list[tuple[int, int]], kernel: list[int], strides: list[int]) -> Array:
    """The windows of padded images, `counts` of them down and across each image."""
    rows = [
        image[:, h * strides[0] : h * strides[0] + kernel[0], w * strides[1] : w * strides[1] + kernel[1]]
        for image, (height, width) in zip(x, counts, strict=True)
        for h in range(height)
        for w in range(width)
    ]
    return np.array([row.reshape(-1) for row in rows])


def lod(found: Any) -> Lod:
    result: Lod = found["Out"][0].lod
    return result


@pytest.mark.parametrize(
    ("kernel", "strides", "paddings", "count"),
    [
        ([2, 3], [1, 1], [0, 0, 0, 0], (4, 4)),
        ([3, 2], [2, 3], [1, 0, 1, 1], (3, 2)),
        ([1, 1], [1, 1], [0, 0, 0, 0], (5, 6)),
    ],
)
def test_im2sequence_gives_windows_as_rows(
    kernel: list[int], strides: list[int], paddings: list[int], count: tuple[int, int]
) -> None:
    x = numbers(2, 3, 5, 6)
    attrs: dict[str, Any] = {"kernels": kernel, "strides": strides, "paddings": paddings}

    (found,) = checked("im2sequence", {"X": x}, attrs)
    lods = evaluate("im2sequence", {"X": [x]}, attrs, {"Out": 1})

    same(found, sequences(framed(x, paddings), [count, count], kernel, strides))
    step = count[0] * count[1]
    assert lod(lods) == ((0, step, 2 * step),)


def test_im2sequence_covers_the_stated_sizes() -> None:
    x, sizes = numbers(3, 2, 4, 5), np.array([[4, 5], [2, 8], [6, 6]], np.float32)
    attrs: dict[str, Any] = {"kernels": [1, 2], "strides": [1, 2], "out_stride": [1, 2]}

    (found,) = checked("im2sequence", {"X": x, "Y": sizes}, attrs)
    lods = evaluate("im2sequence", {"X": [x], "Y": [sizes]}, attrs, {"Out": 1})

    # Widths are halved and rounded up: 3, 4 and 3, so one, two and one windows; heights stay.
    counts = [(4, 1), (2, 2), (6, 1)]
    same(found, sequences(framed(x, [0, 0, 0, 0], beyond=3), counts, [1, 2], [1, 2]))
    assert lod(lods) == ((0, 4, 8, 14),)
