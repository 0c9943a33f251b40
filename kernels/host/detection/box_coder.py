"""box_coder on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.box_center import decode, to_center
from lite.plugin.kernel import Array, kernel


@kernel("box_coder")
def box_coder(
    PriorBox: Array,
    PriorBoxVar: Array | None,
    TargetBox: Array,
    *,
    code_type: str,
    box_normalized: bool,
    axis: int,
    variance: list[float],
) -> Array:
    """Paddle box_coder op: targets [N, 4] against priors [M, 4] as offsets, or offsets [N, M, 4] as boxes.

    Decoding, priors belong to axis 1 of the target, with `axis` 1 to its axis 0.
    """
    offset = 0.0 if box_normalized else 1.0
    center, size = to_center(PriorBox, offset)
    scale = np.array(variance or 1, TargetBox.dtype) if PriorBoxVar is None else PriorBoxVar
    if code_type == "encode_center_size":
        target = (TargetBox[:, :2] + TargetBox[:, 2:]) * TargetBox.dtype.type(0.5)
        _, target_size = to_center(TargetBox, offset)
        shift = (target[:, None] - center) / size
        growth = np.log(np.abs(target_size[:, None] / size))
        encoded: Array = np.concatenate((shift, growth), axis=-1) / scale
        return encoded
    if axis == 1:
        center, size = center[:, None], size[:, None]
        scale = scale[:, None] if scale.ndim == 2 else scale
    return decode(TargetBox * scale, center, size, offset)
