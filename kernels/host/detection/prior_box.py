"""The same boxes at each cell of a feature map: prior_box, density_prior_box and anchor_generator."""

from __future__ import annotations

import numpy as np

from lite.ops.prior_ratios import expanded_ratios
from lite.plugin.kernel import Array, kernel


def centers(feature: Array, step_x: float, step_y: float, offset: float) -> Array:
    """Points (x, y) in the cells of a feature map ``[N, C, H, W]``: ``float64[H, W, 1, 2]``."""
    rows, columns = feature.shape[2:]
    grid = np.empty((rows, columns, 1, 2))
    grid[..., 0] = ((np.arange(columns) + offset) * step_x)[:, None]
    grid[..., 1] = ((np.arange(rows) + offset) * step_y)[:, None, None]
    return grid


def steps(feature: Array, image: Array, step_w: float, step_h: float) -> tuple[float, float]:
    """The attributes `step_w` and `step_h`; where one is 0, the sizes of the image divided by the map's."""
    if step_w and step_h:
        return step_w, step_h
    return image.shape[3] / feature.shape[3], image.shape[2] / feature.shape[2]


def repeated(variances: list[float], boxes: Array) -> Array:
    """The four variances, once for each box."""
    return np.broadcast_to(np.array(variances, boxes.dtype), boxes.shape).copy()


@kernel("prior_box")
def prior_box(
    Input: Array,
    Image: Array,
    *,
    min_sizes: list[float],
    max_sizes: list[float],
    aspect_ratios: list[float],
    variances: list[float],
    flip: bool,
    clip: bool,
    min_max_aspect_ratios_order: bool,
    step_w: float,
    step_h: float,
    offset: float,
) -> tuple[Array, Array]:
    """Paddle prior_box: the default boxes ``[H, W, priors, 4]`` of SSD, relative to the image.

    W. Liu et al., "SSD: Single Shot MultiBox Detector", 2016.
    """
    ratios = expanded_ratios(aspect_ratios, flip)
    halves: list[tuple[float, float]] = []
    for number, size in enumerate(min_sizes):
        by_ratio = [(size * ratio**0.5 / 2, size / ratio**0.5 / 2) for ratio in ratios]
        largest = [((size * most) ** 0.5 / 2,) * 2 for most in max_sizes[number : number + 1]]
        if min_max_aspect_ratios_order:
            halves += [by_ratio[0], *largest, *by_ratio[1:]]
        else:
            halves += [*by_ratio, *largest]
    center = centers(Input, *steps(Input, Image, step_w, step_h), offset)
    half = np.array(halves).reshape(-1, 2)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    boxes /= np.array([Image.shape[3], Image.shape[2]] * 2)
    if clip:
        np.clip(boxes, 0, 1, out=boxes)
    boxes = boxes.astype(Input.dtype)
    return boxes, repeated(variances, boxes)


@kernel("density_prior_box")
def density_prior_box(
    Input: Array,
    Image: Array,
    *,
    fixed_sizes: list[float],
    fixed_ratios: list[float],
    densities: list[int],
    variances: list[float],
    clip: bool,
    flatten_to_2d: bool,
    step_w: float,
    step_h: float,
    offset: float,
) -> tuple[Array, Array]:
    """Paddle density_prior_box: `density`² boxes of each size and ratio at each cell, clipped to the image.

    Boxes are relative to the image: ``[H, W, priors, 4]``, or ``[H·W·priors, 4]`` with `flatten_to_2d`.
    S. Zhang et al., "FaceBoxes", 2017.
    """
    step_x, step_y = steps(Input, Image, step_w, step_h)
    average = int((step_x + step_y) * 0.5)
    shifts, halves = [np.empty((0, 2))], [np.empty((0, 2))]
    for size, density in zip(fixed_sizes, densities, strict=True):
        shift = average // density
        places = shift / 2 - average / 2 + shift * np.arange(density)
        y, x = np.meshgrid(places, places, indexing="ij")
        square = np.stack((x, y), axis=-1).reshape(-1, 2)
        for ratio in fixed_ratios:
            shifts.append(square)
            halves.append(np.tile([size * ratio**0.5 / 2, size / ratio**0.5 / 2], (density**2, 1)))
    center = centers(Input, step_x, step_y, offset) + np.concatenate(shifts)
    half = np.concatenate(halves)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    boxes /= np.array([Image.shape[3], Image.shape[2]] * 2)
    np.maximum(boxes[..., :2], 0, out=boxes[..., :2])
    np.minimum(boxes[..., 2:], 1, out=boxes[..., 2:])
    if clip:
        np.clip(boxes, 0, 1, out=boxes)
    boxes = boxes.astype(Input.dtype)
    if flatten_to_2d:
        boxes = boxes.reshape(-1, 4)
    return boxes, repeated(variances, boxes)


@kernel("anchor_generator")
def anchor_generator(
    Input: Array,
    *,
    anchor_sizes: list[float],
    aspect_ratios: list[float],
    variances: list[float],
    stride: list[float],
    offset: float,
) -> tuple[Array, Array]:
    """Paddle anchor_generator: boxes ``[H, W, ratios·sizes, 4]`` in pixels (S. Ren et al., 2015).

    For each ratio, a base box has the area of a cell and sides in whole pixels; the sizes scale it.
    """
    cell = np.array(stride, Input.dtype)
    ratio = np.array(aspect_ratios, Input.dtype)
    base = np.floor(np.sqrt(cell.prod() / ratio) + Input.dtype.type(0.5))
    bases = np.stack((base, np.floor(base * ratio + Input.dtype.type(0.5))), axis=-1)
    scale = np.array(anchor_sizes, Input.dtype)[:, None] / cell
    half = ((scale * bases[:, None]).reshape(-1, 2) - 1) / 2
    first = Input.dtype.type(offset) * (cell - 1)
    center = centers(Input, stride[0], stride[1], 0).astype(Input.dtype) + first
    anchors = np.concatenate((center - half, center + half), axis=-1)
    return anchors, repeated(variances, anchors)
