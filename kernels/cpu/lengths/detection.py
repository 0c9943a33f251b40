"""Lengths for the selection of boxes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.tile_sizes import LANES

FIELDS = 5
"""The numbers of a kept box: its low and high end along both axes, and its area."""

DECAY_FIELDS = FIELDS + 1
"""The numbers of a box whose score decays: those of a kept one, and its largest overlap with a better box."""


def choose_boxes(
    boxes: None, scores: None, heap: None, kept: None, counts: None, sides: None, threshold: float,
    least: float, with_all: int, limit: int, classes: int, per_image: int, centred: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.nms.choose_boxes`."""
    scored, kept_boxes = count * per_image, count * limit
    return 4 * per_image * -(-count // classes), scored, scored, kept_boxes, count, kept_boxes * FIELDS


def keep_boxes(
    boxes: None, scores: None, heap: None, kept: None, counts: None, sides: None, least: float,
    threshold: float, eta: float, offset: float, candidates: int, limit: int, background: int,
    per_class: int, shared: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.class_nms.keep_boxes`."""
    scored = count * per_class
    boxes_length = 4 * (per_class if shared else scored)
    return boxes_length, scored, scored, count * limit, count, count * (limit + LANES) * FIELDS


def decay(
    boxes: None, scores: None, heap: None, order: None, counts: None, factors: None, sides: None,
    least: float, sigma: float, offset: float, candidates: int, background: int, per_class: int,
    is_gaussian: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.class_nms.decay`."""
    scored, taken = count * per_class, count * candidates
    return 4 * per_class, scored, scored, taken, count, taken, count * (candidates + LANES) * DECAY_FIELDS


def choose_softly(
    boxes: None, scores: None, heap: None, seen: None, chosen: None, kept: None, total: None, most: float,
    least: float, scale: float, limit: int, boxes_count: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sorting.soft_nms.choose_softly`."""
    return 4 * boxes_count, boxes_count, boxes_count, boxes_count, limit, limit, 1
