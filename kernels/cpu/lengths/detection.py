"""Lengths for the selection of boxes."""

from __future__ import annotations

from collections.abc import Sequence

FIELDS = 5
"""The numbers of a kept box: its low and high end along both axes, and its area."""


def choose_boxes(
    boxes: None, scores: None, heap: None, kept: None, counts: None, sides: None, threshold: float,
    least: float, with_all: int, limit: int, classes: int, per_image: int, centred: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.nms.choose_boxes`."""
    scored, kept_boxes = count * per_image, count * limit
    return 4 * per_image * -(-count // classes), scored, scored, kept_boxes, count, kept_boxes * FIELDS
