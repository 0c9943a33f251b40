"""soft_non_max_suppression by numpy."""

from __future__ import annotations

import heapq

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("soft_non_max_suppression")
def soft_non_max_suppression(
    Boxes: Array,
    Scores: Array,
    MaxOutputSize: Array,
    IouThreshold: Array,
    ScoreThreshold: Array,
    Sigma: Array | None,
) -> tuple[Array, Array, Array]:
    """TensorFlow NonMaxSuppressionV5, padded: chosen boxes ``int32[m]``, their scores, and their number.

    ``Boxes[n, 4]`` are two opposite corners (y, x), Scores are ``[n]``, and m is MaxOutputSize; what is not
    chosen is 0.  A box is dropped whose overlap with a chosen one is at least IouThreshold.  With a positive
    Sigma, its score is multiplied by ``exp(-overlap² / (2 · Sigma))`` for each chosen box.  Scores must be
    above ScoreThreshold.  Of equal scores, those with lower indices come first.
    """
    limit, most, least, sigma = (
        part.reshape(-1)[0] if part is not None else 0
        for part in (MaxOutputSize, IouThreshold, ScoreThreshold, Sigma)
    )
    low, high = np.minimum(Boxes[:, :2], Boxes[:, 2:]), np.maximum(Boxes[:, :2], Boxes[:, 2:])
    queue = [(-score, box, 0) for box, score in enumerate(Scores) if score > least]
    heapq.heapify(queue)
    chosen: list[int] = []
    indices, kept = np.zeros(limit, np.int32), np.zeros(limit, Scores.dtype)
    while queue and len(chosen) < limit:
        negative, box, first = heapq.heappop(queue)
        overlaps = _overlaps(low, high, box, chosen[first:])
        if (overlaps >= most).any():
            continue
        score = before = -negative
        if sigma > 0:
            factors = np.exp(Scores.dtype.type(-0.5 / sigma) * overlaps * overlaps)
            for factor in factors[::-1]:
                score = score * factor
        if score == before:
            indices[len(chosen)], kept[len(chosen)] = box, score
            chosen.append(box)
        elif score > least:
            heapq.heappush(queue, (-score, box, len(chosen)))
    return indices, kept, np.array(len(chosen), np.int32)


def _overlaps(low: Array, high: Array, box: int, others: list[int]) -> Array:
    """Intersection over union of a box with others; 0 where one of both is empty."""
    area = (high - low).prod(axis=1)
    sides = np.minimum(high[others], high[box]) - np.maximum(low[others], low[box])
    shared = np.clip(sides, 0, None).prod(axis=1)
    union = area[others] + area[box] - shared
    is_empty = (area[others] <= 0) | (area[box] <= 0)
    return np.where(is_empty, 0, shared / np.where(is_empty, 1, union)).astype(low.dtype)
