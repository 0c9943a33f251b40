"""resize → Interpolate (opset 15).

It is ONNX's Resize: X float16 or float32 [N, C, H, W] or [N, C, D, H, W], resized along spatial axes by known
Sizes or Scales, without antialias, exclude_outside, keep_aspect_ratio_policy and tf_crop_and_resize.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, INDEX
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge

_MODES = {"nearest": "nearest", "linear": "linear_onnx", "cubic": "cubic"}

_COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resized_axes(op: BridgeOp) -> tuple[list[int], list[float]]:
    """The axes whose size changes, and their sizes or scales."""
    x = op["X"]
    axes = [x.axis(axis) for axis in op.integers("axes")] or list(range(x.rank))
    sizes = op.values("Sizes")
    scales = op.get("Scales")
    if sizes is None and scales is not None and scales.value is not None:
        pairs = zip(axes, scales.value.reshape(-1).tolist(), strict=True)
        resized = [(axis, scale) for axis, scale in pairs if scale != 1]
    else:
        resized = [
            (axis, size) for axis, size in zip(axes, sizes or [], strict=False) if size != x.dims[axis]
        ]
    return [axis for axis, _ in resized], [float(number) for _, number in resized]


def _why_not(op: BridgeOp) -> str | None:
    scales = op.get("Scales")
    if op.values("Sizes") is None and (scales is None or scales.value is None):
        return "the numbers of Sizes or Scales are not known"
    for name in ("antialias", "exclude_outside"):
        if op.flag(name):
            return f"{name} is true; OpenVINO's Interpolate has no such attribute here"
    if op.text("keep_aspect_ratio_policy") != "stretch":
        return f"keep_aspect_ratio_policy is {op.text('keep_aspect_ratio_policy')!r}, expected 'stretch'"
    if op.text("coordinate_transformation_mode") not in _COORDINATES:
        mode = op.text("coordinate_transformation_mode")
        return f"coordinate_transformation_mode is {mode!r}, expected one of {', '.join(_COORDINATES)}"
    axes, numbers = _resized_axes(op)
    highest = 4 if op.text("mode") == "cubic" else 5
    if axes and not (4 <= op["X"].rank <= highest and min(axes) >= 2):
        return f"axes {axes} of X, {op['X']}, are resized; OpenVINO resizes the axes after the channels"
    reason = _why_not_cubic(op, axes) or _why_not_halves(op, axes)
    if reason is None and op.values("Sizes") is None:
        reason = _why_not_scales(op, axes, numbers)
    return reason


def _why_not_halves(op: BridgeOp, axes: Sequence[int]) -> str | None:
    """OpenVINO 2026.4 rounds some positions in the middle between two elements down."""
    modes = op.text("mode"), op.text("nearest_mode"), op.text("coordinate_transformation_mode")
    if modes != ("nearest", "round_prefer_ceil", "asymmetric"):
        return None
    for axis in axes:
        before, after = op["X"].dims[axis], op.output().dims[axis]
        is_known = isinstance(before, int) and isinstance(after, int)
        if not is_known or any(2 * n * int(before) % (2 * int(after)) == after for n in range(int(after))):
            return f"size {before} becomes {after}: OpenVINO rounds some positions between two elements down"
    return None


def _why_not_cubic(op: BridgeOp, axes: Sequence[int]) -> str | None:
    pairs = [(op["X"].dims[axis], op.output().dims[axis]) for axis in axes]
    if op.text("mode") == "cubic" and any(
        isinstance(before, str) or after in (before, 1) for before, after in pairs
    ):
        return f"cubic, from and to sizes {pairs}: OpenVINO keeps an equal size, and centres a size of 1"
    return None


def _why_not_scales(op: BridgeOp, axes: Sequence[int], scales: Sequence[float]) -> str | None:
    sizes = [op["X"].dims[axis] for axis in axes]
    for axis, size, scale in zip(axes, sizes, scales, strict=True):
        out = op.output().dims[axis]
        if size == out or (isinstance(size, str) and 1 < scale < 2):
            return f"a scale of {scale} makes {out} of {size}; OpenVINO does not resize an equal size"
    if op.text("coordinate_transformation_mode") == "align_corners" and not all(
        isinstance(size, int) and float(size * scale).is_integer()
        for size, scale in zip(sizes, scales, strict=True)
    ):
        return f"corners are aligned with scales {scales} of sizes {sizes}, which give fractional sizes"
    return None


def _resize(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axes, numbers = _resized_axes(op)
    if not axes:
        return x
    by_size = op.values("Sizes") is not None
    target = b.ints([int(number) for number in numbers])
    if not by_size:
        target = b.constant("scales", np.array(numbers, np.float32))
    return b.op.interpolate(
        x,
        target,
        _MODES[op.text("mode")],
        "sizes" if by_size else "scales",
        coordinate_transformation_mode=op.text("coordinate_transformation_mode"),
        nearest_mode=op.text("nearest_mode"),
        cube_coeff=op.real("cubic_coeff_a"),
        axes=b.ints(axes),
    )


bridge("openvino", "resize")(
    Row("X", _resize, slot_dtypes={"Sizes": INDEX, "Scales": FLOAT, "Roi": FLOAT}, check=_why_not)
)
