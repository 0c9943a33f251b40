"""Lengths for the selection of boxes, and for their contents."""

from __future__ import annotations

from collections.abc import Sequence

from lite.plugin.kernel import Array

FIELDS = 5
"""The numbers of a kept box: its low and high end along both axes, and its area."""


def keep_boxes(
    boxes: Array, order: Array, starts: Array, kept: None, counts: None, sides: None, threshold: float,
    limit: int, classes: int, per_image: int, centred: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.nms.keep_boxes`."""
    if order.size and not 0 <= order.min() <= order.max() < per_image:
        raise ValueError(f"order: expected indices of {per_image} boxes, got {order.min()} to {order.max()}")
    return (
        4 * per_image * -(-count // classes), int(starts[-1]), count + 1, count * limit, count,
        count * limit * FIELDS,
    )  # fmt: skip


def roi_pool(
    x: None, boxes: None, out: None, row: None, batch: int, channels: int, height: int,
    width: int, rows: int, columns: int, scale: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.roi_pool.roi_pool`; the caller checks the numbers of images."""
    return (
        batch * channels * height * width, 5 * count, count * channels * rows * columns,
        width + 2 * (rows + columns),
    )  # fmt: skip
