"""Overlaps of boxes and polygons against counts of points on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest

from lite.kernels.host.detection.nms import box_area, iou_matrix
from lite.kernels.host.detection.polygon import polygon_iou
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32

BOXES = float32([[0, 0, 4, 3], [2, 1, 6, 5], [4, 3, 5, 5], [7, 7, 9, 9], [1, 1, 1, 1], [3, 2, 1, 4]])


def pixels(box: Array) -> set[tuple[int, int]]:
    x1, y1, x2, y2 = (int(v) for v in box)
    return {(x, y) for x in range(x1, x2 + 1) for y in range(y1, y2 + 1)}


def test_ends_of_boxes_may_belong_to_them() -> None:
    found = iou_matrix(BOXES[:5], BOXES[:5], normalized=False)

    for (i, j), value in np.ndenumerate(found):
        first, second = pixels(BOXES[i]), pixels(BOXES[j])
        assert value == pytest.approx(len(first & second) / len(first | second))


def test_normalized_boxes_end_at_their_coordinates() -> None:
    found = iou_matrix(BOXES[:2], BOXES[:5], normalized=True)

    np.testing.assert_allclose(found, [[1, 4 / 24, 0, 0, 0], [4 / 24, 1, 2 / 16, 0, 0]], rtol=1e-6)
    assert found.dtype == np.float32


def test_a_box_that_ends_before_it_starts_is_empty() -> None:
    np.testing.assert_array_equal(box_area(BOXES, normalized=True), float32([12, 16, 2, 4, 0, 0]))
    np.testing.assert_array_equal(box_area(BOXES, normalized=False), float32([20, 25, 6, 9, 1, 0]))


def area(polygon: Array) -> float:
    x, y = polygon.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def covered(polygon: Array, x: Array, y: Array) -> Array:
    """Whether points have an odd number of edges to their right."""
    odd = np.zeros(x.shape, bool)
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if y0 != y1:
            odd ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return odd


@pytest.mark.parametrize("points", [3, 4, 8])
def test_polygons_overlap_by_the_even_odd_rule(points: int) -> None:
    """Random ones mostly cross themselves; even so their common part is what both cover."""
    polygons = np.random.default_rng(points).random((6, points, 2))

    found = polygon_iou(polygons[0], polygons)

    grid = (np.arange(1500) + 0.5) / 1500
    x, y = np.meshgrid(grid, grid)
    for value, polygon in zip(found, polygons, strict=True):
        common = float(np.mean(covered(polygons[0], x, y) & covered(polygon, x, y)))
        assert value == pytest.approx(
            common / (area(polygons[0]) + area(polygon) - common), rel=0.02, abs=2e-3
        )


def test_disjoint_and_empty_polygons_do_not_overlap() -> None:
    square = float32([[0, 0], [1, 0], [1, 1], [0, 1]])

    found = polygon_iou(square, np.stack([square, square + 2, square * 0, square + float32([0.5, 0])]))

    np.testing.assert_allclose(found, [1, 0, 0, 1 / 3], rtol=1e-6)
    assert found.dtype == np.float32
