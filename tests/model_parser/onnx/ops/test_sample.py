"""Ops that read images at computed positions, and that move pixels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference, model_of, run

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize(
    ("mode", "padding", "corners"),
    list(itertools.product(["linear", "nearest", "cubic"], ["zeros", "border", "reflection"], [0, 1])),
)
def test_grid_sample(mode: str, padding: str, corners: int) -> None:
    grid = np.random.default_rng(1).uniform(-1.6, 1.6, (2, 3, 2, 2)).astype(np.float32)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    matches_reference("GridSample", [X, grid], attrs, tolerance=1e-4)


def test_grid_sample_of_volumes() -> None:
    volume = np.random.default_rng(1).standard_normal((1, 2, 3, 4, 3)).astype(np.float32)
    grid = np.random.default_rng(2).uniform(-1.2, 1.2, (1, 2, 2, 2, 3)).astype(np.float32)

    matches_reference("GridSample", [volume, grid], opset=20, tolerance=1e-4)


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("size", [[2, 3, 4, 5], [2, 3, 4, 5, 3]])
def test_affine_grid(corners: int, size: list[int]) -> None:
    axes = len(size) - 2
    theta = np.random.default_rng(1).standard_normal((2, axes, axes + 1)).astype(np.float32)

    matches_reference("AffineGrid", [theta, np.array(size)], {"align_corners": corners}, constants=[1])


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align(mode: str, ratio: int) -> None:
    boxes = np.array([[0, 0, 3, 3], [1, 0.5, 4, 2.5], [-2, -1, 8, 8]], np.float32)
    attrs = {
        "mode": mode,
        "sampling_ratio": ratio,
        "output_height": 2,
        "output_width": 3,
        "spatial_scale": 0.9,
    }

    matches_reference("RoiAlign", [X, boxes, np.array([1, 0, 1])], attrs)


def test_max_roi_pool() -> None:
    boxes = np.array([[1, 0, 0, 3, 3], [0, 1, 1, 2, 3]], np.float32)

    found = run(model_of("MaxRoiPool", [X, boxes], {"pooled_shape": [2, 2]}), {"x0": X, "x1": boxes})["y0"]

    first = X[1, :, :4, :4].reshape(3, 2, 2, 2, 2).max((2, 4))
    rows = X[0, :, 1:4, 1:3]
    second = np.stack([rows[:, :2].max(1), rows[:, 1:].max(1)], 1)
    np.testing.assert_array_equal(found, np.stack([first, second]))


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space(mode: str) -> None:
    x = np.arange(2 * 8 * 2 * 3, dtype=np.float32).reshape(2, 8, 2, 3)

    matches_reference("DepthToSpace", [x], {"blocksize": 2, "mode": mode})


def test_space_to_depth() -> None:
    x = np.arange(2 * 3 * 4 * 6, dtype=np.int32).reshape(2, 3, 4, 6)

    matches_reference("SpaceToDepth", [x], {"blocksize": 2})
