"""roi_align and roi_perspective_transform against one bilinear sample at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.program import AttrValue
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.sequence.run_lod_op import draw, int32, run_lod_op


def sample(x: Array, row: float, column: float) -> Array:
    """Between the four places around [C, H, W] at (row, column), which lies within."""
    top, left = math.floor(row), math.floor(column)
    result = np.zeros(len(x))
    for r, c in ((top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)):
        weight = (1 - abs(row - r)) * (1 - abs(column - c))
        if weight > 0:
            result += weight * x[:, r, c]
    return result


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [-1, 2])
@pytest.mark.parametrize("counted", [False, True])
def test_roi_align_averages_bilinear_samples(aligned: bool, ratio: int, counted: bool) -> None:
    x = draw(2, 3, 6, 7)
    rois = float32([[1, 2, 9, 11], [0, 0, 13, 11], [-8, 4, 20, 5], [30, 30, 31, 31], [3, 3, 3, 3]])
    inputs = {"X": x, "ROIs": rois, **({"RoisNum": int32([2, 3])} if counted else {})}
    attrs: dict[str, AttrValue] = {
        "spatial_scale": 0.5,
        "pooled_height": 2,
        "pooled_width": 3,
        "sampling_ratio": ratio,
        "aligned": aligned,
    }

    ((out, _),) = run_lod_op("roi_align", inputs, {} if counted else {"ROIs": ((0, 2, 5),)}, attrs)

    expected = np.zeros((5, 3, 2, 3))
    for n, roi in enumerate(rois.tolist()):
        x1, y1, x2, y2 = (v * 0.5 - (0.5 if aligned else 0) for v in roi)
        w, h = (x2 - x1, y2 - y1) if aligned else (max(x2 - x1, 1), max(y2 - y1, 1))
        down, along = (ratio, ratio) if ratio > 0 else (math.ceil(h / 2), math.ceil(w / 3))
        for row, column, i, j in np.ndindex(2, 3, down, along):
            r = y1 + row * h / 2 + (i + 0.5) * h / 2 / down
            c = x1 + column * w / 3 + (j + 0.5) * w / 3 / along
            if -1 <= r <= 6 and -1 <= c <= 7:
                value = sample(x[n // 2 if n < 2 else 1], min(max(r, 0), 5), min(max(c, 0), 6))
                expected[n, :, row, column] += value / (down * along)
    np.testing.assert_allclose(out, expected, atol=1e-5)


def corner_matrix(quad: list[tuple[float, float]], width: int, height: int) -> Array:
    """The perspective map of a rectangle's corners to the quadrangle's, by its eight linear equations."""
    lengths = [math.dist(quad[n], quad[(n + 1) % 4]) for n in range(4)]
    tall = max(2, height)
    wide = math.floor((lengths[0] + lengths[2]) * (tall - 1) / (lengths[1] + lengths[3]) + 0.5) + 1
    wide = max(2, min(wide, width))
    rows, values = [], []
    for (u, v), (x, y) in zip(
        [(0, 0), (wide - 1, 0), (wide - 1, tall - 1), (0, tall - 1)], quad, strict=True
    ):
        rows += [[u, v, 1, 0, 0, 0, -u * x, -v * x], [0, 0, 0, u, v, 1, -u * y, -v * y]]
        values += [x, y]
    return np.append(np.linalg.solve(np.array(rows, float), values), 1)


def test_roi_perspective_transform_straightens_quadrangles() -> None:
    x = draw(2, 3, 8, 9)
    quads = [
        [(1, 1), (6, 2), (7, 6), (2, 5)],
        [(2, 2), (5, 2), (5, 6), (2, 6)],
        [(-3, 1), (3, 0), (4, 9), (-2, 7)],
    ]
    rois = float32(quads).reshape(3, 8) * np.float32(2)

    (out, _), (mask, _), (matrix, _) = run_lod_op(
        "roi_perspective_transform",
        {"X": x, "ROIs": rois},
        {"ROIs": ((0, 1, 3),)},
        {"spatial_scale": 0.5, "transformed_height": 4, "transformed_width": 5},
        {"Out": 1, "Mask": 1, "TransformMatrix": 1},
    )

    matrices = np.stack([corner_matrix([(float(a), float(b)) for a, b in quad], 5, 4) for quad in quads])
    np.testing.assert_allclose(matrix, matrices, atol=1e-3)
    assert set(np.unique(mask).tolist()) == {0, 1}
    for n, row, column in np.ndindex(3, 4, 5):
        u, v, w = matrices[n].reshape(3, 3) @ [column, row, 1]
        sx, sy = float(u / w), float(v / w)
        if mask[n, 0, row, column]:
            value = sample(x[int(n > 0)], min(max(sy, 0), 7), min(max(sx, 0), 8))
            np.testing.assert_allclose(out[n, :, row, column], value, atol=2e-3)
        else:
            assert not out[n, :, row, column].any()
            assert sx < -0.49 or sy > 7.49 or not inside(quads[n], sx, sy)


def inside(quad: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Whether a place lies clearly within a convex quadrangle given clockwise (y downwards)."""
    sides = [
        ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]))
        for a, b in zip(quad, [*quad[1:], quad[0]], strict=True)
    ]
    return min(sides) > 1e-2


def test_roi_align_refuses_more_samples_than_the_limit() -> None:
    inputs = {"X": draw(1, 2, 4, 4), "ROIs": float32([[0, 0, 1e9, 1]]), "RoisNum": int32([1])}
    attrs: dict[str, AttrValue] = {"pooled_height": 2, "pooled_width": 2, "sampling_ratio": -1}
    with pytest.raises(ExecutionError, match="at most 4,194,304 samples of a box"):
        run_lod_op("roi_align", inputs, {}, attrs)
