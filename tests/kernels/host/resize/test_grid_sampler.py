"""grid_sampler and affine_grid against loops over the output's pixels."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def place(at: float, size: int, padding: str, corners: bool) -> float:
    """The position in pixels of −1 to 1."""
    position = (at + 1) / 2 * (size - 1) if corners else ((at + 1) * size - 1) / 2
    if padding == "zeros":
        return position
    if padding == "reflection":
        low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
        if low == high:
            return low
        while not low <= position <= high:
            position = 2 * low - position if position < low else 2 * high - position
    return min(max(position, 0), size - 1)


def sampled(image: Array, row: float, column: float, mode: str) -> float:
    def pixel(y: int, x: int) -> float:
        return float(image[y, x]) if 0 <= y < image.shape[0] and 0 <= x < image.shape[1] else 0.0

    if mode == "nearest":
        return pixel(int(np.floor(row + 0.5)), int(np.floor(column + 0.5)))
    y, x = int(np.floor(row)), int(np.floor(column))
    down, right = row - y, column - x
    top = pixel(y, x) * (1 - right) + pixel(y, x + 1) * right
    return top * (1 - down) + (pixel(y + 1, x) * (1 - right) + pixel(y + 1, x + 1) * right) * down


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("sizes", [(4, 5), (1, 3)])
def test_grid_sampler_agrees_with_a_loop(
    mode: str, padding: str, corners: bool, sizes: tuple[int, int]
) -> None:
    x = random(2, 3, *sizes)
    grid = np.random.default_rng(3).uniform(-2.5, 2.5, (2, 3, 4, 2)).astype(np.float32)
    attrs: dict[str, Any] = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    (found,) = checked("grid_sampler", {"X": x, "Grid": grid}, attrs)

    wanted = np.zeros((2, 3, 3, 4))
    for n, c, i, j in np.ndindex(*wanted.shape):
        column, row = (
            place(float(at), size, padding, corners)
            for at, size in zip(grid[n, i, j], sizes[::-1], strict=True)
        )
        wanted[n, c, i, j] = sampled(x[n, c], row, column, mode)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_a_grid_of_the_pixels_gives_the_image() -> None:
    x = random(1, 2, 3, 4)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 3)), axis=-1)

    (found,) = checked("grid_sampler", {"X": x, "Grid": grid[None].astype(np.float32)})

    np.testing.assert_allclose(found, x, rtol=1e-5, atol=1e-6)


def test_a_grid_without_pairs_is_refused() -> None:
    with pytest.raises(GraphError, match="grid_sampler: Grid"):
        checked("grid_sampler", {"X": random(1, 1, 2, 2), "Grid": random(1, 2, 2, 3)})


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("as_tensor", [True, False])
@pytest.mark.parametrize("sizes", [(3, 4), (1, 2)])
def test_affine_grid_transforms_positions(corners: bool, as_tensor: bool, sizes: tuple[int, int]) -> None:
    theta, shape = random(2, 2, 3), [2, 5, *sizes]
    inputs = {"Theta": theta, **({"OutputShape": np.array(shape, np.int32)} if as_tensor else {})}
    attrs: dict[str, Any] = {"align_corners": corners, **({} if as_tensor else {"output_shape": shape})}

    (found,) = checked("affine_grid", inputs, attrs)

    def step(at: int, size: int) -> float:
        from_edge = -1 + 2 * at / (size - 1) if size > 1 else -1.0
        return from_edge if corners else from_edge * (size - 1) / size

    wanted = np.zeros((2, *sizes, 2))
    for n, i, j in np.ndindex(2, *sizes):
        wanted[n, i, j] = theta[n].astype(float) @ [step(j, sizes[1]), step(i, sizes[0]), 1]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
def test_half_and_double_precision_are_computed(dtype: Any) -> None:
    theta = np.array([[[1, 0, 0], [0, 1, 0]]], dtype)
    x = random(1, 2, 3, 3).astype(dtype)

    (grid,) = checked("affine_grid", {"Theta": theta}, {"output_shape": [1, 2, 3, 3]})
    (found,) = checked("grid_sampler", {"X": x, "Grid": grid})

    assert grid.dtype == found.dtype == dtype
    np.testing.assert_allclose(found.astype(float), x.astype(float), rtol=1e-2, atol=1e-2)
