"""Output sizes of resizing ops: Paddle's interpolations and ONNX's Resize."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import UNKNOWN, Dim

OUT_ATTRS = ("out_d", "out_h", "out_w")
"""The attributes that hold the output's sizes; an op with n spatial axes reads the last n."""


def scaled(size: Dim, factor: float) -> Dim:
    """``size · factor``, computed in float32 and truncated, as in Paddle."""
    return int(np.float32(size) * np.float32(factor)) if isinstance(size, int) else UNKNOWN


def factors(scale: Sequence[float], axes: int) -> list[float]:
    """One factor for each axis, from one for all or one for each; empty without a positive factor."""
    if not scale or min(scale) <= 0:
        return []
    return list(scale) if len(scale) == axes else [scale[0]] * axes


def resized(
    image: Sequence[int], sizes: Sequence[int] | None, scales: Sequence[float] | None, policy: str
) -> tuple[list[int], list[float]]:
    """Output sizes along the resized axes, and the factors for the computation of positions.

    `policy` is ONNX Resize's `keep_aspect_ratio_policy`.
    """
    if sizes is None:
        ratios = list(scales or ())
        return [int(scaled(size, ratio)) for size, ratio in zip(image, ratios, strict=True)], ratios
    ratios = [out / size for out, size in zip(sizes, image, strict=True)]
    if policy == "stretch":
        return list(sizes), ratios
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [int(np.floor(ratio * size + 0.5)) for size in image], [ratio] * len(image)
