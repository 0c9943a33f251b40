"""decode_bboxes on the host."""

from __future__ import annotations

import numpy as np

from lite.errors import ExecutionError
from lite.kernels.host.detection.box_center import decode, to_center
from lite.plugin.kernel import Array, kernel, write


@kernel("decode_bboxes")
def decode_bboxes(
    Loc: Array,
    Prior: Array,
    *,
    share_location: bool,
    variance_encoded_in_target: bool,
    code_type: str,
    out: Array | None = None,
) -> Array:
    """Paddle-Lite decode_bboxes op: offsets Loc [N, priors * 4] as boxes of the same shape.

    Prior [1, 2, priors * 4] holds boxes and variances; locations must be shared by the classes.
    """
    if not share_location:
        raise ExecutionError("decode_bboxes: share_location: expected true, got false")
    boxes, variances = Prior.reshape(2, -1, 4)
    deltas = Loc.reshape(len(Loc), -1, 4)
    if not variance_encoded_in_target:
        deltas = deltas * variances
    center, size = to_center(boxes, 0)
    if code_type == "center_size":
        result = decode(deltas, center, size, 0)
    else:
        scale = np.tile(size, 2) if code_type == "corner_size" else boxes.dtype.type(1)
        result = boxes + deltas * scale
    return write(out, result.reshape(Loc.shape))
