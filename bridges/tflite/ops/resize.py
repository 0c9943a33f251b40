"""*_interp_v2, resize → RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR, GATHER, or FULLY_CONNECTED by axes.

X float32[N, C, …], or channels last.  The operators serve images whose positions they compute as Paddle does.
Else nearest pixels are gathered, and a product with a matrix interpolates along each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.bridges.tflite.ops.slice import gathered
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Order, Tensor, channels_last
from lite.ir.types import Array
from lite.ops.resize_sizes import factors
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

_LARGEST_MATRIX = 1 << 22
"""Elements of a matrix that interpolates along an axis."""


def _scales(op: BridgeOp, axes: int) -> list[float]:
    """One scale for each axis; none with SizeTensor.  OutSize gives the sizes, and not the scales."""
    if op.all("SizeTensor"):
        return []
    scale = op.get("Scale")
    if scale is not None and scale.value is None:
        raise Declined("Scale is a tensor whose numbers are not known")
    numbers = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    return factors(numbers, axes)


def _ratios(op: BridgeOp, image: Sequence[int], outs: Sequence[int]) -> list[float]:
    """The step from pixel to pixel of the result, in pixels of the image."""
    if op.flag("align_corners"):
        return [(size - 1) / (out - 1) if out > 1 else 0.0 for size, out in zip(image, outs, strict=True)]
    scales = _scales(op, len(image))
    if scales and not op.flag("ratio_from_sizes"):
        return [1 / scale if out > 1 else 0.0 for scale, out in zip(scales, outs, strict=True)]
    return [size / out if out > 1 else 0.0 for size, out in zip(image, outs, strict=True)]


def _interp(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    method = op.op.partition("_")[0]
    order = channels_last(x.rank, last=is_channel_last(op.text("data_layout")))
    axes = order[1:-1]
    result = op.output()
    image, outs = [x.shape[axis] for axis in axes], [sizes(result)[axis] for axis in axes]
    ratios = _ratios(op, image, outs)
    corners = op.flag("align_corners")
    by_size = ratios == [size / out for size, out in zip(image, outs, strict=True)]
    if method == "bicubic":
        raise Declined("it is cubic; TFLite interpolates linearly")
    if method == "nearest":
        if x.rank == 4 and by_size and not corners and _exact(image, outs):
            ctx.output(op, _operator(b, x, order, outs, "RESIZE_NEAREST_NEIGHBOR", half=False, corners=False))
            return
        for axis, size, out, ratio in zip(axes, image, outs, ratios, strict=True):
            positions = np.arange(out) * np.float32(ratio) + (0.5 if corners else 0)
            indices = np.minimum(positions.astype(np.int32), size - 1)
            x = gathered(b, x, b.array(indices), axis)
        ctx.output(op, x)
        return
    half = not corners and op.integer("align_mode") == 0
    if x.rank == 4 and (by_size or corners) and 1 not in outs:
        ctx.output(op, _operator(b, x, order, outs, "RESIZE_BILINEAR", half=half, corners=corners))
        return
    for axis, size, out, ratio in zip(axes, image, outs, ratios, strict=True):
        positions = (np.arange(out) + 0.5) * ratio - 0.5 if half else np.arange(out) * ratio
        x = _along(b, x, axis, _matrix_at(positions, size))
    ctx.output(op, x)


def _exact(image: Sequence[int], outs: Sequence[int]) -> bool:
    """Whether each axis grows or shrinks by a whole number, so that no rounding decides."""
    return all(not out % size or not size % out for size, out in zip(image, outs, strict=True))


def _operator(
    b: Builder, x: Tensor, order: Order, outs: Sequence[int], code: str, *, half: bool, corners: bool
) -> Tensor:
    stored = b.form(x, order)
    shape = (stored.shape[0], *outs, stored.shape[3])
    pixels = b.numbers(*outs)
    result = b.add(code, [stored, pixels], shape, align_corners=corners, half_pixel_centers=half)
    return b.wrap(result, order)


def _along(b: Builder, x: Tensor, axis: int, matrix: Array) -> Tensor:
    """The product of a matrix with each row along an axis."""
    order = (*(n for n in range(x.rank) if n != axis), axis)
    rows = b.form(x, order)
    weight = b.stored_array(matrix)
    result = b.add(
        "FULLY_CONNECTED", [rows, weight, None], (*rows.shape[:-1], matrix.shape[0]), keep_num_dims=True
    )
    return b.wrap(result, order)


_ONNX_MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resize(op: BridgeOp, ctx: Context) -> None:
    """resize, which is ONNX's Resize, along each axis: nearest pixels or linear interpolation."""
    b, x, mode = ctx.builder, ctx.input(op, "X"), op.text("coordinate_transformation_mode")
    for name in ("antialias", "exclude_outside"):
        if op.flag(name):
            raise Declined(f"{name} is true")
    if op.text("keep_aspect_ratio_policy") != "stretch":
        raise Declined(f"keep_aspect_ratio_policy is {op.text('keep_aspect_ratio_policy')!r}")
    if mode not in _ONNX_MODES:
        raise Declined(
            f"coordinate_transformation_mode is {mode!r}, expected one of {', '.join(_ONNX_MODES)}"
        )
    if op.text("mode") == "cubic":
        raise Declined("it is cubic; TFLite interpolates linearly")
    outs = sizes(op.output())
    scales = op.get("Scales")
    axes = [op["X"].axis(axis) for axis in op.integers("axes")] or list(range(x.rank))
    by_axis = {axis: x.shape[axis] / outs[axis] for axis in axes}
    if scales is not None:
        if scales.value is None:
            raise Declined("Scales are computed, expected constants")
        numbers = scales.value.reshape(-1).tolist()
        by_axis = {axis: 1 / number for axis, number in zip(axes, numbers, strict=True)}
        if mode == "align_corners":
            raise Declined("it aligns corners with Scales")
    if not set(by_axis.values()) - {1.0} and x.shape == outs:
        ctx.output(op, x)
        return
    if _is_bilinear(op, x, by_axis, outs):
        half, corners = mode.endswith("half_pixel"), mode == "align_corners"
        order = channels_last(4)
        ctx.output(op, _operator(b, x, order, outs[2:], "RESIZE_BILINEAR", half=half, corners=corners))
        return
    for axis, ratio in by_axis.items():
        if ratio != 1 or x.shape[axis] != outs[axis]:
            x = _resized_along(op, b, x, axis, outs[axis], ratio)
    ctx.output(op, x)


def _is_bilinear(op: BridgeOp, x: Tensor, ratios: dict[int, float], outs: Sequence[int]) -> bool:
    if x.rank != 4 or op.text("mode") != "linear" or 1 in outs[2:]:
        return False
    return all(
        ratios.get(axis, 1) == x.shape[axis] / outs[axis] and (axis > 1 or x.shape[axis] == outs[axis])
        for axis in range(4)
    )


def _resized_along(op: BridgeOp, b: Builder, x: Tensor, axis: int, out: int, ratio: float) -> Tensor:
    size, mode = x.shape[axis], op.text("coordinate_transformation_mode")
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
        indices = np.clip(_rounded(positions, op.text("nearest_mode")), 0, size - 1).astype(np.int32)
        return gathered(b, x, b.array(indices), axis)
    return _along(b, x, axis, _matrix_at(positions, size))


def _rounded(positions: Array, mode: str) -> Array:
    functions: dict[str, Callable[[Array], Array]] = {
        "floor": np.floor,
        "ceil": np.ceil,
        "round_prefer_floor": lambda at: np.ceil(at - 0.5),
        "round_prefer_ceil": lambda at: np.floor(at + 0.5),
    }
    return functions[mode](positions)


def _matrix_at(positions: Array, size: int) -> Array:
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


register(
    __name__,
    {
        "bilinear_interp_v2": _interp,
        "linear_interp_v2": _interp,
        "nearest_interp_v2": _interp,
        "resize": _resize,
        "trilinear_interp_v2": _interp,
    },
)
