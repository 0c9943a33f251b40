"""nearest_interp_v2, bilinear_interp_v2, resize → gather of pixels, or products with matrices along an axis.

X float32[N, C, H, W], or channels last.  Whole factors of nearest pixels are upsample_nearest_neighbor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.ir.types import Array, DType
from lite.ops.resize_sizes import factors
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

_LARGEST_MATRIX = 1 << 22
"""Elements of a matrix that interpolates along an axis."""


def _ratios(op: BridgeOp, image: Sequence[int], outs: Sequence[int]) -> list[float]:
    """The step from pixel to pixel of the result, in pixels of the image."""
    if op.flag("align_corners"):
        return [(size - 1) / (out - 1) if out > 1 else 0.0 for size, out in zip(image, outs, strict=True)]
    scale = op.get("Scale")
    # OutSize gives the sizes, and not the scales.
    by_size = op.all("SizeTensor") or op.flag("ratio_from_sizes")
    if scale is not None and scale.value is None and not by_size:
        raise Declined("Scale is a tensor whose numbers are not known")
    given = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    scales = [] if by_size else factors(given, len(image))
    steps = [1 / each for each in scales] or [size / out for size, out in zip(image, outs, strict=True)]
    return [step if out > 1 else 0.0 for step, out in zip(steps, outs, strict=True)]


def _interp(op: BridgeOp, ctx: Context) -> None:
    b, last = ctx.builder, is_channel_last(op.text("data_layout"))
    x = b.channels_first(ctx.input(op, "X"), 4, last=last)
    result = sizes(op.output())
    image, outs = b.shape(x)[2:], result[1:3] if last else result[2:]
    ratios, corners = _ratios(op, image, outs), op.flag("align_corners")
    if op.op == "nearest_interp_v2":
        x = _nearest(b, x, image, outs, ratios, 0.5 if corners else 0)
    else:
        half = not corners and op.integer("align_mode") == 0
        for axis, (size, out, ratio) in enumerate(zip(image, outs, ratios, strict=True), start=2):
            rows = np.arange(out)
            positions = (rows + 0.5) * ratio - 0.5 if half else rows * ratio
            x = _along(b, x, axis, _matrix(positions, size))
    ctx.output(op, b.channels_restored(x, 4, last=last))


def _nearest(
    b: Builder,
    x: Tensor,
    image: Sequence[int],
    outs: Sequence[int],
    ratios: Sequence[float],
    offset: float,
) -> Tensor:
    whole = [out // size for size, out in zip(image, outs, strict=True)]
    if not offset and all(ratio * factor == 1 for ratio, factor in zip(ratios, whole, strict=True)):
        rows, columns = whole
        return b.add(
            "upsample_nearest_neighbor",
            x=x,
            scale_factor_height=np.float32(rows),
            scale_factor_width=np.float32(columns),
        )
    for axis, (size, out, ratio) in enumerate(zip(image, outs, ratios, strict=True), start=2):
        positions = np.arange(out) * np.float32(ratio) + offset
        indices = np.minimum(positions.astype(np.int32), size - 1)
        x = b.add("gather", x=x, indices=indices, axis=axis)
    return x


def _along(b: Builder, x: Tensor, axis: int, matrix: Array) -> Tensor:
    """The product of a matrix with each row along axis 2 or 3 of an image."""
    if axis == 2:
        return b.add("matmul", x=matrix, y=x)
    return b.add("matmul", x=x, y=np.ascontiguousarray(matrix.T))


def _matrix(positions: Array, size: int) -> Array:
    """The matrix float32[out, size] that interpolates linearly at these positions."""
    if size * len(positions) > _LARGEST_MATRIX:
        raise Declined(
            f"from {size} to {len(positions)} pixels; a matrix of more than {_LARGEST_MATRIX} elements"
        )
    positions = np.clip(positions, 0, size - 1)
    low = positions.astype(np.int64)
    high = np.minimum(low + 1, size - 1)
    matrix, rows = np.zeros((len(positions), size)), np.arange(len(positions))
    np.add.at(matrix, (rows, low), 1 - (positions - low))
    np.add.at(matrix, (rows, high), positions - low)
    return matrix.astype(np.float32)


_NEAREST: dict[str, Callable[[Array], Array]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
}

_MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resize(op: BridgeOp, ctx: Context) -> None:
    """resize, which is ONNX's Resize, of the last two axes of an image."""
    b, x, mode = ctx.builder, ctx.input(op, "X"), op.text("coordinate_transformation_mode")
    outs, image, scales = sizes(op.output()), b.shape(x), op.get("Scales")
    plain = not (op.flag("antialias") or op.flag("exclude_outside")) and op["X"].dtype is DType.FLOAT32
    if not plain or op.text("keep_aspect_ratio_policy") != "stretch" or mode not in _MODES:
        raise Declined(f"mode {mode!r} of {op['X']}, expected float32 without antialias and policies")
    if op.text("mode") == "cubic" or len(outs) != 4 or outs[:2] != image[:2]:
        raise Declined("it is cubic, or resizes other axes than those of an image")
    axes = [op["X"].axis(axis) for axis in op.integers("axes")] or list(range(4))
    ratios = {axis: image[axis] / outs[axis] for axis in axes}
    if scales is not None:
        if scales.value is None or mode == "align_corners":
            raise Declined("Scales are computed, or corners are aligned with them")
        ratios = {a: 1 / s for a, s in zip(axes, scales.value.reshape(-1).tolist(), strict=True)}
    for axis in (2, 3):
        ratio = ratios.get(axis, 1.0)
        if ratio != 1 or image[axis] != outs[axis]:
            x = _resized_along(op, b, x, axis, outs[axis], ratio)
    ctx.output(op, b.add("identity", x=x))


def _resized_along(op: BridgeOp, b: Builder, x: Tensor, axis: int, out: int, ratio: float) -> Tensor:
    size, mode = b.shape(x)[axis], op.text("coordinate_transformation_mode")
    rows = np.arange(out, dtype=np.float64)
    if mode == "align_corners":
        positions = rows * (size - 1) / (out - 1) if out > 1 else rows * 0
    elif mode == "asymmetric":
        positions = rows * ratio
    elif mode == "pytorch_half_pixel" and out == 1:
        positions = rows * 0
    else:
        positions = (rows + 0.5) * ratio - 0.5
    if op.text("mode") == "nearest":
        indices = np.clip(_NEAREST[op.text("nearest_mode")](positions), 0, size - 1).astype(np.int32)
        return b.add("gather", x=x, indices=indices, axis=axis)
    return _along(b, x, axis, _matrix(positions, size))


register(__name__, {"bilinear_interp_v2": _interp, "nearest_interp_v2": _interp, "resize": _resize})
