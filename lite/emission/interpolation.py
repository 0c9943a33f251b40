"""Where the pixels of a resized image lie along an axis, and the matrix that interpolates there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.ir.types import Array
from lite.ops.resize_sizes import factors
from lite.ops.window import spatial
from lite.plugin.device import BridgeOp

LARGEST_MATRIX = 1 << 22
"""Elements of a matrix that interpolates along an axis."""

_NEAREST: dict[str, Callable[[Array], Array]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
}

_MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def paddle_ratios(op: BridgeOp, image: Sequence[int], outs: Sequence[int]) -> list[float]:
    """The step from pixel to pixel of the result of *_interp_v2, in pixels of the image, for each axis.

    Declines a Scale whose numbers are not known.
    """
    if op.flag("align_corners"):
        return [(size - 1) / (out - 1) if out > 1 else 0.0 for size, out in zip(image, outs, strict=True)]
    # OutSize gives the sizes, and not the scales.
    scales = [] if op.all("SizeTensor") or op.flag("ratio_from_sizes") else stated_scales(op, len(image))
    if scales is None:
        raise Declined("Scale is a tensor whose numbers are not known")
    steps = [1 / each for each in scales] or [size / out for size, out in zip(image, outs, strict=True)]
    for_one = op.flag("ratio_for_one")
    return [step if out > 1 or for_one else 0.0 for step, out in zip(steps, outs, strict=True)]


def scale_places_pixels(op: BridgeOp) -> bool:
    """Whether *_interp_v2 has OutSize and a scale that is not the ratio of the sizes.

    Paddle then takes the sizes from OutSize and the step between pixels from the scale; formats that have
    one or the other cannot.  A Scale or sizes whose numbers are not known count as such a scale.
    """
    by_size = op.all("SizeTensor") or op.flag("ratio_from_sizes") or op.flag("align_corners")
    if op.get("OutSize") is None or by_size:
        return False
    image, outs = (spatial(op.text("data_layout"), meta.dims) for meta in (op["X"], op.output()))
    scales = stated_scales(op, len(image))
    if scales is None:
        return True
    return bool(scales) and not all(
        isinstance(size, int) and size * factor == out
        for size, factor, out in zip(image, scales, outs, strict=True)
    )


def stated_scales(op: BridgeOp, axes: int) -> list[float] | None:
    """The scale of each axis, from Scale or the attribute; empty without one, None where it is not known."""
    scale = op.get("Scale")
    if scale is None:
        return factors(op.reals("scale"), axes)
    return None if scale.value is None else factors(scale.value.reshape(-1).tolist(), axes)


def onnx_ratios(op: BridgeOp, shape: Sequence[int], outs: Sequence[int]) -> dict[int, float]:
    """The same for resize, which is ONNX's Resize, by axes.

    Declines what is more than nearest pixels or linear interpolation along each axis.
    """
    mode = op.text("coordinate_transformation_mode")
    special = [name for name in ("antialias", "exclude_outside") if op.flag(name)]
    if special or op.text("keep_aspect_ratio_policy") != "stretch" or mode not in _MODES:
        raise Declined(
            f"mode {mode!r}, policy {op.text('keep_aspect_ratio_policy')!r}, {special}; expected stretch "
            f"and one of {', '.join(_MODES)}"
        )
    if op.text("mode") == "cubic":
        raise Declined("it is cubic, expected linear or nearest")
    axes = [op["X"].axis(axis) for axis in op.integers("axes")] or list(range(len(shape)))
    scales = op.get("Scales")
    if scales is None:
        return {axis: shape[axis] / outs[axis] for axis in axes}
    if scales.value is None or mode == "align_corners":
        raise Declined("Scales are computed, or corners are aligned with them")
    return {axis: 1 / scale for axis, scale in zip(axes, scales.value.reshape(-1).tolist(), strict=True)}


def onnx_positions(op: BridgeOp, size: int, out: int, ratio: float) -> Array:
    """Where the pixels of resize lie along an axis, in pixels of the image."""
    rows, mode = np.arange(out, dtype=np.float64), op.text("coordinate_transformation_mode")
    if mode == "align_corners":
        return rows * (size - 1) / (out - 1) if out > 1 else rows * 0
    if mode == "asymmetric":
        return rows * ratio
    if mode == "pytorch_half_pixel" and out == 1:
        return rows * 0
    return (rows + 0.5) * ratio - 0.5


def onnx_nearest(op: BridgeOp, positions: Array, size: int) -> Array:
    """The indices of the nearest pixels, int64, by resize's rule of rounding."""
    return np.clip(_NEAREST[op.text("nearest_mode")](positions), 0, size - 1).astype(np.int64)


def linear_matrix(positions: Array, size: int) -> Array:
    """The matrix float32[out, size] that interpolates linearly at these positions; declines a large one."""
    if size * len(positions) > LARGEST_MATRIX:
        raise Declined(
            f"from {size} to {len(positions)} pixels; a matrix of more than {LARGEST_MATRIX} elements"
        )
    positions = np.clip(positions, 0, size - 1)
    low = positions.astype(np.int64)
    high = np.minimum(low + 1, size - 1)
    matrix, rows = np.zeros((len(positions), size)), np.arange(len(positions))
    np.add.at(matrix, (rows, low), 1 - (positions - low))
    np.add.at(matrix, (rows, high), positions - low)
    return matrix.astype(np.float32)


def bin_matrix(size: int, count: int) -> Array:
    """The matrix float32[count, size] that averages bins from ⌊i·size/count⌋ up to ⌈(i+1)·size/count⌉."""
    matrix = np.zeros((count, size), np.float32)
    for row in range(count):
        start, stop = row * size // count, -(-(row + 1) * size // count)
        matrix[row, start:stop] = 1 / (stop - start)
    return matrix
