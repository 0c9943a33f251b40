"""pool2d and max_pool2d_with_index against loops over the windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked

Spans = Sequence[tuple[int, int]]


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def sliding(size: int, kernel: int, stride: int, before: int, after: int, ceil: bool = False) -> Spans:
    """First and last + 1 position of each window, which may lie outside."""
    span = size + before + after - kernel
    count = (-(-span // stride) if ceil else span // stride) + 1
    return [(n * stride - before, n * stride - before + kernel) for n in range(count)]


def bins(size: int, count: int) -> Spans:
    return [(n * size // count, -(-(n + 1) * size // count)) for n in range(count)]


def pooled(
    x: Array, rows: Spans, columns: Spans, kind: str, exclusive: bool = True, before: Any = (0, 0)
) -> Array:
    result = np.zeros((*x.shape[:2], len(rows), len(columns)))
    height, width = x.shape[2:]
    for n, c, i, j in np.ndindex(*result.shape):
        (top, bottom), (left, right) = rows[i], columns[j]
        inside = x[n, c, max(top, 0) : bottom, max(left, 0) : right]
        if kind == "max":
            result[n, c, i, j] = inside.max()
            continue
        area = inside.size
        if not exclusive:
            area = (min(bottom, height + before[0]) - top) * (min(right, width + before[1]) - left)
        result[n, c, i, j] = inside.astype(float).sum() / area
    return result


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize(
    ("sizes", "ksize", "strides", "paddings", "ceil"),
    [
        ((6, 5), [2, 2], [2, 2], [0, 0], False),
        ((6, 5), [3, 2], [2, 1], [1, 1], False),
        ((7, 8), [3, 3], [2, 2], [0, 0], True),
        ((5, 5), [3, 3], [2, 3], [1, 0], True),
        ((4, 4), [1, 1], [1, 1], [0, 0], False),
        ((4, 5), [1, 1], [2, 3], [0, 0], False),
        ((4, 5), [4, 5], [1, 1], [0, 0], False),
    ],
)
def test_windows_give_maxima_and_averages(
    kind: str,
    exclusive: bool,
    sizes: tuple[int, int],
    ksize: list[int],
    strides: list[int],
    paddings: list[int],
    ceil: bool,
) -> None:
    x = random(2, 3, *sizes)
    attrs: dict[str, Any] = {
        "pooling_type": kind,
        "ksize": ksize,
        "strides": strides,
        "paddings": paddings,
        "ceil_mode": ceil,
        "exclusive": exclusive,
    }

    (found,) = checked("pool2d", {"X": x}, attrs)
    (last,) = checked("pool2d", {"X": x.transpose(0, 2, 3, 1)}, {**attrs, "data_format": "NHWC"})

    rows, columns = (
        sliding(s, k, t, p, p, ceil) for s, k, t, p in zip(sizes, ksize, strides, paddings, strict=True)
    )
    wanted = pooled(x, rows, columns, kind, exclusive, paddings)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(last.transpose(0, 3, 1, 2), found)


@pytest.mark.parametrize(
    ("algorithm", "rows", "columns"),
    [
        ("VALID", sliding(7, 3, 2, 0, 0), sliding(6, 2, 3, 0, 0)),
        ("SAME", sliding(7, 3, 2, 1, 1), sliding(6, 2, 3, 0, 0)),
        ("EXPLICIT", sliding(7, 3, 2, 1, 2), sliding(6, 2, 3, 0, 1)),
    ],
)
def test_padding_algorithms_are_those_of_paddle(algorithm: str, rows: Spans, columns: Spans) -> None:
    x = random(1, 2, 7, 6)
    attrs: dict[str, Any] = {
        "padding_algorithm": algorithm,
        "ksize": [3, 2],
        "strides": [2, 3],
        "paddings": [1, 2, 0, 1],
    }

    (found,) = checked("pool2d", {"X": x}, attrs)

    np.testing.assert_array_equal(found, pooled(x, rows, columns, "max").astype(np.float32))


@pytest.mark.parametrize("ksize", [(1, 1), (2, 3), (3, 4), (5, 2), (7, 9)])
def test_adaptive_averages_are_of_bins(ksize: tuple[int, int]) -> None:
    x = random(2, 3, 7, 9)

    (found,) = checked("pool2d", {"X": x}, {"pooling_type": "avg", "adaptive": True, "ksize": [*ksize]})

    wanted = pooled(x, bins(7, ksize[0]), bins(9, ksize[1]), "avg")
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_adaptive_maximum_is_of_plain_windows() -> None:
    x = random(1, 2, 6, 5)

    (found,) = checked("pool2d", {"X": x}, {"adaptive": True, "ksize": [3, 2], "strides": [1, 4]})

    lowest = np.finfo(np.float32).min
    wanted = np.full((1, 2, 3, 2), lowest)
    for n in range(3):
        wanted[:, :, n, 0] = x[:, :, n : n + 3, 0:2].max(axis=(2, 3))
        wanted[:, :, n, 1] = x[:, :, n : n + 3, 4:].max(axis=(2, 3))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_global_pooling_takes_the_image(kind: str) -> None:
    x = random(2, 3, 4, 5)

    (found,) = checked("pool2d", {"X": x}, {"pooling_type": kind, "global_pooling": True, "paddings": [1, 1]})

    np.testing.assert_allclose(found, pooled(x, [(0, 4)], [(0, 5)], kind), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_global_and_adaptive_keeps_the_image(kind: str) -> None:
    x = random(1, 2, 3, 2)
    attrs: dict[str, Any] = {"pooling_type": kind, "global_pooling": True, "adaptive": True, "ksize": [2, 2]}

    (found,) = checked("pool2d", {"X": x}, attrs)

    # Maxima are of windows as large as the image, which reach beyond it.
    wanted = np.array([[x[0, c, i:, j:].max() for i in range(3) for j in range(2)] for c in range(2)])
    np.testing.assert_array_equal(found, x if kind == "avg" else wanted.reshape(1, 2, 3, 2))


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
def test_half_and_double_precision_are_computed(kind: str, dtype: Any) -> None:
    x = random(1, 2, 4, 4).astype(dtype)

    (found,) = checked("pool2d", {"X": x}, {"pooling_type": kind, "ksize": [2, 2], "strides": [2, 2]})

    wanted = pooled(x.astype(float), sliding(4, 2, 2, 0, 0), sliding(4, 2, 2, 0, 0), kind)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(float), wanted, rtol=1e-2)


def test_a_window_that_does_not_fit_is_refused() -> None:
    with pytest.raises(GraphError, match=r"pool2d: X: expected an image that a window of \[4, 1\] fits into"):
        checked("pool2d", {"X": random(1, 1, 3, 3)}, {"ksize": [4, 1]})


def with_index(x: Array, rows: Spans, columns: Spans) -> tuple[Array, Array]:
    shape = (*x.shape[:2], len(rows), len(columns))
    best, index = np.zeros(shape, x.dtype), np.zeros(shape, np.int32)
    height, width = x.shape[2:]
    for n, c, i, j in np.ndindex(*shape):
        places = [
            (-x[n, c, row, column], row * width + column)
            for row in range(max(rows[i][0], 0), min(rows[i][1], height))
            for column in range(max(columns[j][0], 0), min(columns[j][1], width))
        ]
        lowest, where = min(places)
        best[n, c, i, j], index[n, c, i, j] = -lowest, where
    return best, index


@pytest.mark.parametrize(
    ("attrs", "rows", "columns"),
    [
        ({"ksize": [2, 3], "strides": [2, 1]}, sliding(6, 2, 2, 0, 0), sliding(7, 3, 1, 0, 0)),
        (
            {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]},
            sliding(6, 3, 2, 1, 1),
            sliding(7, 3, 2, 1, 1),
        ),
        ({"ksize": [4, 3], "adaptive": True}, bins(6, 4), bins(7, 3)),
        ({"ksize": [1, 1], "adaptive": True}, [(0, 6)], [(0, 7)]),
        ({"global_pooling": True}, [(0, 6)], [(0, 7)]),
    ],
)
@pytest.mark.parametrize("repeated", [False, True])
def test_maxima_have_their_first_index(
    attrs: dict[str, Any], rows: Spans, columns: Spans, repeated: bool
) -> None:
    x = random(2, 2, 6, 7)
    if repeated:
        x = np.rint(x)

    best, index = checked("max_pool2d_with_index", {"X": x}, attrs, {"Out": 1, "Mask": 1})

    wanted = with_index(x, rows, columns)
    np.testing.assert_array_equal(best, wanted[0])
    np.testing.assert_array_equal(index, wanted[1])
    assert index.dtype == np.int32
