"""Resizing along any axes, after ONNX Resize; for what Paddle's interpolations do not say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import UNKNOWN, Dim
from lite.ops.defs.interp import scaled
from lite.ops.schema import choice, ints, op
from lite.ops.view import Meta, OpView


def resized(
    image: Sequence[int], sizes: Sequence[int] | None, scales: Sequence[float] | None, policy: str
) -> tuple[list[int], list[float]]:
    """Output sizes along the axes that are resized, and the factors that positions are computed with."""
    if sizes is None:
        given = list(scales or ())
        return [int(scaled(size, factor)) for size, factor in zip(image, given, strict=True)], given
    factors = [wanted / size for wanted, size in zip(sizes, image, strict=True)]
    if policy == "stretch":
        return list(sizes), factors
    factor = min(factors) if policy == "not_larger" else max(factors)
    return [int(np.floor(factor * size + 0.5)) for size in image], [factor] * len(image)


def _resize(op: OpView) -> Meta:
    x = op["X"].dims
    axes = [op["X"].axis(axis) for axis in op.integers("axes")] or list(range(len(x)))
    sizes, scales = op.values("Sizes"), op.get("Scales")
    factors = None if scales is None or scales.value is None else scales.value.reshape(-1).tolist()
    out: list[Dim] = list(x)
    image = [x[axis] for axis in axes]
    known = [size for size in image if isinstance(size, int)]
    if (sizes is None and factors is None) or len(known) < len(image):
        found: list[Dim] = [UNKNOWN] * len(axes)
        if sizes is not None and op.text("keep_aspect_ratio_policy") == "stretch":
            found = [*sizes]
        if sizes is None and factors is not None:
            found = [
                size if factor == 1 else scaled(size, factor)
                for size, factor in zip(image, factors, strict=True)
            ]
    else:
        found = [*resized(known, sizes, factors, op.text("keep_aspect_ratio_policy"))[0]]
    for axis, size in zip(axes, found, strict=True):
        out[axis] = size
    return Meta(op["X"].dtype, tuple(out))


op(
    "resize",
    "X:number/1- Roi?:float/1 Scales?:float/1 Sizes?:int/1",
    "Out",
    _resize,
    attrs={
        "mode": choice("nearest", "linear", "cubic"),
        "coordinate_transformation_mode": choice(
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_crop_and_resize",
        ),
        "nearest_mode": choice("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
        "cubic_coeff_a": -0.75,
        "exclude_outside": False,
        "extrapolation_value": 0.0,
        "antialias": False,
        "axes": ints(),
        "keep_aspect_ratio_policy": choice("stretch", "not_larger", "not_smaller"),
    },
)
