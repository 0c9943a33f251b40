"""non_max_suppression with a compiled search among the boxes of each class."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_keep_boxes = Function("nms.keep_boxes")

_SIZE_BITS, _NUMBER_BITS = 0x7FFFFFFF, 0xFFFFFFFF
"""The bits of a float32 without its sign, and those of an index in a key."""


@kernel("non_max_suppression", "cpu", dtype=DType.FLOAT32)
def non_max_suppression(
    Boxes: Array,
    Scores: Array,
    MaxOutputBoxesPerClass: Array | None,
    IouThreshold: Array | None,
    ScoreThreshold: Array | None,
    *,
    center_point_box: int,
) -> Array:
    """ONNX NonMaxSuppression: rows (image, class, box) ``int64[n, 3]`` by image, class and falling score.

    ``Boxes[N, boxes, 4]`` are two opposite corners (y, x), or with `center_point_box` centre (x, y), width
    and height; Scores are ``[N, classes, boxes]``.  Without MaxOutputBoxesPerClass no box is chosen.
    """
    from lite.kernels.cpu.lengths.detection import FIELDS

    if not Scores.size:
        return np.empty((0, 3), np.int64)
    images, classes, per_image = Scores.shape
    limit = 0 if MaxOutputBoxesPerClass is None else int(MaxOutputBoxesPerClass.reshape(-1)[0])
    threshold = 0.0 if IouThreshold is None else float(IouThreshold.reshape(-1)[0])
    order, starts = _best_first(Scores.reshape(images * classes, per_image), ScoreThreshold)
    pairs, limit = images * classes, min(limit, int(np.diff(starts).max()))
    if limit <= 0:
        return np.empty((0, 3), np.int64)
    kept, counts = np.empty(pairs * limit, np.int64), np.empty(pairs, np.int64)
    sides = np.empty(pairs * limit * FIELDS, np.float64)
    _keep_boxes.bind(
        Boxes.astype(np.float32, copy=False), order, starts, FREE, FREE, FREE, threshold, limit, classes,
        per_image, int(center_point_box == 1), count=pairs, cost=PER_ELEMENT * len(order) * limit,
    )(kept, counts, sides)  # fmt: skip
    pair, place = np.nonzero(np.arange(limit) < counts[:, None])
    return np.stack([*np.divmod(pair, classes), kept.reshape(pairs, limit)[pair, place]], axis=1)


def _best_first(scores: Array, least: Array | None) -> tuple[Array, Array]:
    """The indices of each row's scores above a threshold, best first, and where the rows begin.

    Of equal scores the first comes first, and NaN last.  An integer of 64 bits holds a score and its index,
    as integers are sorted several times as fast.
    """
    rows, size = scores.shape
    found = np.arange(scores.size) if least is None else np.flatnonzero(scores > least.reshape(-1)[0])
    starts = np.searchsorted(found, np.arange(rows + 1) * size)
    # To add 0 makes 0 of -0.
    values = scores.reshape(-1)[found] + np.float32(0)
    bits = values.view(np.int32)
    falling = np.where(bits < 0, bits & _SIZE_BITS, ~bits)
    falling[np.isnan(values)] = _SIZE_BITS
    numbers = found - np.repeat(np.arange(rows) * size, np.diff(starts))
    keys = (falling.astype(np.int64) << 32) | numbers
    for start, end in pairwise(starts.tolist()):
        keys[start:end].sort()
    return keys & _NUMBER_BITS, starts
