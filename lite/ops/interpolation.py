"""Which of Paddle's interpolations of images an ONNX Resize is."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue

_HALF_PIXEL = ("half_pixel", "pytorch_half_pixel")


def interpolation(
    mode: str, coordinates: str, rounding: str, scales: Sequence[float] | None
) -> tuple[str, dict[str, AttrValue]]:
    """The interpolation op and its attributes; an empty name where none means the same.

    The arguments are ONNX's attributes `mode`, `coordinate_transformation_mode` and `nearest_mode`, and the
    factors of height and width, None where the sizes of the result are given.
    """
    factors = [0.5] if scales is None else scales
    is_integer = all(scale == int(scale) for scale in factors)
    if mode == "nearest":
        same = coordinates == "asymmetric" and rounding == "floor"
        half_pixel = is_integer and rounding.startswith("round_prefer") and coordinates in _HALF_PIXEL
        double = (
            set(factors) <= {1.0, 2.0} and coordinates == "asymmetric" and rounding == "round_prefer_floor"
        )
        return ("nearest_interp_v2" if same or half_pixel or double else ""), {"align_corners": False}
    corners = coordinates == "align_corners"
    if corners and scales is not None and not is_integer:
        return "", {}
    if mode == "linear" and (corners or coordinates in (*_HALF_PIXEL, "asymmetric")):
        align_mode = 0 if coordinates in _HALF_PIXEL else 1
        return "bilinear_interp_v2", {"align_corners": corners, "align_mode": align_mode}
    if mode == "cubic" and (corners or coordinates == "half_pixel"):
        return "bicubic_interp_v2", {"align_corners": corners}
    return "", {}
