"""matrix_nms with compiled factors of the scores."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.detection.box_search import at_most
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.matrix_nms import MatrixAttributes, detected
from lite.plugin.kernel.run_context import PER_ELEMENT

_decay = Function("sorting.class_nms.decay")


@kernel("matrix_nms", "cpu", dtype=DType.FLOAT32, attrs=MatrixAttributes)
def matrix_nms(BBoxes: Array, Scores: Array, *, attrs: MatrixAttributes) -> tuple[Array, Array, Array]:
    """The host's kernel with compiled factors."""
    return detected(BBoxes, Scores, attrs, _factors)


def _factors(boxes: Array, scores: Array, attrs: MatrixAttributes) -> tuple[Array, Array, Array]:
    """`Factors` (`plugin.kernel.detection.matrix_nms`)."""
    from lite.kernels.cpu.lengths.detection import DECAY_FIELDS
    from lite.kernels.cpu.tile_sizes import LANES

    classes, per_class = scores.shape
    candidates = at_most(attrs.nms_top_k, per_class)
    places, counts = np.empty((classes, candidates), np.int64), np.empty(classes, np.int64)
    factors, heap = np.empty(places.shape, np.float32), np.empty(scores.size, np.int64)
    sides = np.empty((classes, DECAY_FIELDS, candidates + LANES), np.float32)
    _decay.bind(
        FREE, FREE, FREE, FREE, FREE, FREE, FREE, attrs.score_threshold, attrs.gaussian_sigma,
        0.0 if attrs.normalized else 1.0, candidates, attrs.background_label, per_class,
        int(attrs.use_gaussian),
        count=classes, cost=2 * PER_ELEMENT * classes * (per_class + candidates * candidates / 8),
    )(
        np.ascontiguousarray(boxes, np.float32), np.ascontiguousarray(scores, np.float32), heap, places,
        counts, factors, sides,
    )  # fmt: skip
    taken = np.arange(candidates) < counts[:, None]
    found = factors[taken]
    return np.arange(classes).repeat(counts), places[taken], np.exp(found) if attrs.use_gaussian else found
