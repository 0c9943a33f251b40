"""Reading images at fractional positions."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def pixels(image: Array, rows: Array, columns: Array) -> Array:
    """`image` ``[..., C, H, W]`` at whole positions ``[..., P]``: ``[..., C, P]``, 0 outside of it."""
    height, width = image.shape[-2:]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    index = np.where(inside, rows * width + columns, 0)
    flat = image.reshape(*image.shape[:-2], height * width)
    found: Array = np.take_along_axis(flat, index[..., None, :], axis=-1)
    found *= inside[..., None, :]
    return found


def bilinear(image: Array, rows: Array, columns: Array) -> Array:
    """`image` ``[..., C, H, W]`` at positions ``[..., P]``: ``[..., C, P]``; neighbours outside count 0."""
    top, left = np.floor(rows), np.floor(columns)
    down, right = (rows - top).astype(image.dtype), (columns - left).astype(image.dtype)
    y, x = top.astype(np.int64), left.astype(np.int64)
    weights = ((1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right)
    total: Array = pixels(image, y, x) * weights[0][..., None, :]
    for weight, (i, j) in zip(weights[1:], ((0, 1), (1, 0), (1, 1)), strict=True):
        total += pixels(image, y + i, x + j) * weight[..., None, :]
    return total
