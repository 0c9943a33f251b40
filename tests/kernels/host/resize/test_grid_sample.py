"""grid_sample: point by point, for the modes of ONNX."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise


def reflected(at: float, size: int, corners: bool) -> float:
    low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
    if low == high:
        return 0.0
    while not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at


def element(line: tuple[int, ...], plane: Array, padding: str, corners: bool) -> float:
    place = []
    for at, size in zip(line, plane.shape, strict=True):
        if padding == "zeros" and not 0 <= at < size:
            return 0.0
        found = reflected(at, size, corners) if padding == "reflection" else at
        place.append(min(max(int(found), 0), size - 1))
    return float(plane[tuple(place)])


def weights(at: float, mode: str) -> dict[int, float]:
    low, t = math.floor(at), at - math.floor(at)
    if mode == "nearest":
        return {round(at): 1.0}
    if mode == "linear":
        return {low: 1 - t, low + 1: t}

    def cubic(d: float) -> float:
        a = -0.75
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        return near if d <= 1 else far

    return {low + n: cubic(abs(n - t)) for n in (-1, 0, 1, 2)}


def sampled(x: Array, grid: Array, mode: str, padding: str, corners: bool) -> Array:
    sizes = x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), np.float32)
    for n, c, *at in np.ndindex(*out.shape):
        taps = []
        for axis, size in enumerate(sizes):
            g = float(grid[(n, *at, len(sizes) - 1 - axis)])
            p = (g + 1) / 2 * (size - 1) if corners else ((g + 1) * size - 1) / 2
            if padding == "reflection":
                p = reflected(p, size, corners)
            taps.append(weights(p, mode).items())
        for combination in itertools.product(*taps):
            share = math.prod(weight for _, weight in combination)
            out[(n, c, *at)] += share * element(tuple(i for i, _ in combination), x[n, c], padding, corners)
    return out


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("sizes", [(4, 5), (3, 1), (2, 3, 4)])
def test_grid_sample_agrees_with_loops(
    mode: str, padding: str, corners: bool, sizes: tuple[int, ...]
) -> None:
    x = noise(2, 2, *sizes)
    grid = noise(2, 3, 4, len(sizes), seed=1) if len(sizes) == 2 else noise(2, 2, 1, 3, len(sizes), seed=1)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    found = checked("grid_sample", {"X": x, "Grid": grid}, attrs)  # type: ignore[arg-type]

    near(found, [sampled(x, grid, mode, padding, corners)], 1e-4)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_positions_that_are_no_numbers_have_no_samples(mode: str, padding: str) -> None:
    grid = np.zeros((1, 1, 2, 2), np.float32)
    grid[0, 0, 1] = np.nan
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": True}
    (got,) = checked("grid_sample", {"X": np.ones((1, 1, 3, 3), np.float32), "Grid": grid}, attrs)  # type: ignore[arg-type]
    np.testing.assert_array_equal(got, [[[[1, np.nan]]]])
