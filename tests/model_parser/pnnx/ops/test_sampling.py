"""Sampling at the positions of a grid equals a loop over the corners of cells."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op


def sampled(x: Array, grid: Array) -> Array:
    """Linear samples of ``x[C, ...]`` with zeros around it; the last axis comes first in a position."""
    result = np.zeros((len(x), *grid.shape[:-1]))
    for place in itertools.product(*map(range, grid.shape[:-1])):
        at = [((p + 1) * size - 1) / 2 for p, size in zip(grid[place][::-1], x.shape[1:], strict=True)]
        for corner in itertools.product((0, 1), repeat=len(at)):
            index = [int(np.floor(p)) + c for p, c in zip(at, corner, strict=True)]
            weight = np.prod([1 - abs(p - n) for p, n in zip(at, index, strict=True)])
            if all(0 <= n < size for n, size in zip(index, x.shape[1:], strict=True)):
                key: Any = (slice(None), *place)
                result[key] += weight * np.array([channel[tuple(index)] for channel in x])
    return result


@pytest.mark.parametrize("axes", [2, 3])
def test_linear_samples_of_images_and_volumes(axes: int) -> None:
    x, grid = noise(1, 2, *[4, 5, 3][:axes]), noise(1, *[2, 3, 2][:axes], axes, seed=1)
    text = "mode=bilinear padding_mode=zeros align_corners=False"
    (output,) = one_op("F.grid_sample", [x, grid], text, names=["input", "grid"])
    np.testing.assert_allclose(output[0], sampled(x[0], grid[0]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("align_corners", [True, False])
def test_positions_of_an_affine_transformation(align_corners: bool) -> None:
    theta = noise(2, 2, 3)
    text = f"size=(2,3,4,5) align_corners={align_corners}"
    (output,) = one_op("F.affine_grid", [theta], text, names=["theta"])
    rows, columns = (
        np.linspace(-1, 1, n) if align_corners else (2 * np.arange(n) + 1) / n - 1 for n in (4, 5)
    )
    points = np.stack([*np.meshgrid(columns, rows), np.ones((4, 5))], -1)
    expected = np.einsum("nij,hwj->nhwi", theta, points)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)
