"""grid_sampler and affine_grid: images read at fractional positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write


def pixels(image: Array, rows: Array, columns: Array) -> Array:
    """Pixels ``[…, C, P]`` of images ``[…, C, H, W]`` at integer positions ``[…, P]``; 0 outside."""
    height, width = image.shape[-2:]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    index = np.where(inside, rows * width + columns, 0)
    flat = image.reshape(*image.shape[:-2], height * width)
    result: Array = np.take_along_axis(flat, index[..., None, :], axis=-1)
    result *= inside[..., None, :]
    return result


def bilinear(image: Array, rows: Array, columns: Array) -> Array:
    """Bilinear samples ``[…, C, P]`` of images ``[…, C, H, W]`` at positions ``[…, P]``; 0 outside."""
    top, left = np.floor(rows), np.floor(columns)
    down, right = (rows - top).astype(image.dtype), (columns - left).astype(image.dtype)
    y, x = top.astype(np.int64), left.astype(np.int64)
    weights = ((1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right)
    total: Array = pixels(image, y, x) * weights[0][..., None, :]
    for weight, (i, j) in zip(weights[1:], ((0, 1), (1, 0), (1, 1)), strict=True):
        total += pixels(image, y + i, x + j) * weight[..., None, :]
    return total


@kernel("grid_sampler")
def grid_sampler(
    X: Array, Grid: Array, *, mode: str, padding_mode: str, align_corners: bool, out: Array | None = None
) -> Array:
    """Paddle grid_sampler: samples of ``X[N, C, H, W]`` at ``Grid[N, Ho, Wo, 2]``: (x, y) from −1 to 1."""
    n, c, height, width = X.shape
    grid = widened(Grid).reshape(n, -1, 2)
    rows = _position(grid[..., 1], height, padding_mode, align_corners)
    columns = _position(grid[..., 0], width, padding_mode, align_corners)
    image = widened(X)
    if mode == "nearest":
        whole = (np.floor(at + at.dtype.type(0.5)).astype(np.int64) for at in (rows, columns))
        samples = pixels(image, *whole)
    else:
        samples = bilinear(image, rows, columns)
    return write(out, samples.reshape(n, c, *Grid.shape[1:3]).astype(X.dtype, copy=False))


def _position(grid: Array, size: int, padding_mode: str, align_corners: bool) -> Array:
    """Positions in pixels; without `align_corners`, −1 and 1 are the outer edges of the border pixels."""
    real = grid.dtype.type
    half = real(0.5)
    at: Array = (grid + 1) * half * real(size - 1) if align_corners else ((grid + 1) * real(size) - 1) * half
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        shift = real(0) if align_corners else half
        period = real(2 * (size - 1) if align_corners else 2 * size)
        if period == 0:
            return np.zeros_like(at)
        distance = np.mod(np.abs(at + shift), period)
        at = np.minimum(distance, period - distance) - shift
    clipped: Array = np.clip(at, real(0), real(size - 1))
    return clipped


@kernel("affine_grid")
def affine_grid(
    Theta: Array,
    OutputShape: Array | None,
    *,
    output_shape: Sequence[int],
    align_corners: bool,
    out: Array | None = None,
) -> Array:
    """Paddle affine_grid: positions (x, y) from −1 to 1, ``[N, H, W, 2]``, transformed by ``Theta[N, 2, 3]``.

    For volumes, positions (x, y, z), ``[N, D, H, W, 3]``, and ``Theta[N, 3, 4]``.
    """
    sizes = (output_shape if OutputShape is None else OutputShape.tolist())[2:]
    theta = widened(Theta)
    base = np.ones((*sizes, len(sizes) + 1), theta.dtype)
    for axis, size in enumerate(sizes):
        steps = _steps(size, align_corners)
        base[..., len(sizes) - 1 - axis] = steps.reshape(-1, *[1] * (len(sizes) - 1 - axis))
    grid = np.matmul(base.reshape(-1, len(sizes) + 1), theta.transpose(0, 2, 1))
    return write(out, grid.reshape(len(Theta), *sizes, len(sizes)).astype(Theta.dtype, copy=False))


def _steps(size: int, align_corners: bool) -> Array:
    steps = np.linspace(-1, 1, size) if size > 1 else np.full(size, -1.0)
    return steps if align_corners else steps * (size - 1) / size
