"""resize → Resize, grid_sampler and grid_sample → GridSample, affine_grid → AffineGrid (ONNX opset 21)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.emission.onnx.shape_inputs import integer_tensor, known_integers
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("resize")
def resize(op: BridgeOp, ctx: Context) -> None:
    """resize → Resize."""
    b = ctx.builder
    scales, sizes = ctx.optional(op, "Scales"), ctx.optional(op, "Sizes")
    axes = op.integers("axes")
    coordinates = op.text("coordinate_transformation_mode")
    if coordinates == "align_corners" and scales is not None:
        raise Declined("it aligns corners with Scales: ONNX uses the exact size, ONNX Runtime an integer one")
    if op.text("mode") == "cubic" and (op["X"].rank not in (2, 4) or not op["X"].dtype.is_float):
        raise Declined(f"X is {op['X']}: ONNX Runtime's cubic mode takes floats of rank 2 or 4")
    attributes: Attributes = {
        "mode": op.text("mode"),
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": op.text("nearest_mode"),
        "cubic_coeff_a": op.real("cubic_coeff_a"),
        "exclude_outside": int(op.flag("exclude_outside")),
        "extrapolation_value": op.real("extrapolation_value"),
        "antialias": int(op.flag("antialias")),
        "keep_aspect_ratio_policy": op.text("keep_aspect_ratio_policy"),
    }
    if axes:
        attributes["axes"] = axes
    result = b.add(
        "Resize",
        ctx.input(op, "X"),
        ctx.optional(op, "Roi"),
        None if scales is None else b.cast(scales, DType.FLOAT32),
        None if sizes is None else b.cast(sizes, DType.INT64),
        **attributes,
    )
    ctx.output(op, result)


_MODES = {"bilinear": "linear", "nearest": "nearest", "linear": "linear", "cubic": "cubic"}


@converts("grid_sampler", "grid_sample")
def grid_sample(op: BridgeOp, ctx: Context) -> None:
    """grid_sampler, grid_sample → GridSample."""
    result = ctx.builder.add(
        "GridSample",
        ctx.input(op, "X"),
        ctx.input(op, "Grid"),
        mode=_MODES[op.text("mode")],
        padding_mode=op.text("padding_mode"),
        align_corners=int(op.flag("align_corners")),
    )
    ctx.output(op, result)


@converts("affine_grid")
def affine_grid(op: BridgeOp, ctx: Context) -> None:
    """affine_grid → MatMul with constant positions if the output size is known, else AffineGrid."""
    b, sizes = ctx.builder, known_integers(op, "output_shape", "OutputShape")
    if sizes is not None:
        ctx.output(op, _transformed_positions(op, ctx, sizes[2:]))
        return
    shape = integer_tensor(op, ctx, "output_shape", "OutputShape")
    result = b.add("AffineGrid", ctx.input(op, "Theta"), shape, align_corners=int(op.flag("align_corners")))
    ctx.output(op, result)


def _transformed_positions(op: BridgeOp, ctx: Context, sizes: Sequence[int]) -> Tensor:
    """Positions (x, y, 1), or (x, y, z, 1), times Theta: [N, *sizes, axes].

    Coordinates are from -1 to 1; on an axis of size 1, the only one is -1 (0 without `align_corners`).
    """
    b, theta = ctx.builder, ctx.input(op, "Theta")
    axes = len(sizes)
    base = np.ones((*sizes, axes + 1))
    for axis, size in enumerate(sizes):
        steps = np.linspace(-1, 1, size) if size > 1 else np.full(size, -1.0)
        steps = steps if op.flag("align_corners") else steps * (size - 1) / size
        base[..., axes - 1 - axis] = steps.reshape(-1, *[1] * (axes - 1 - axis))
    matrix = b.array(base.reshape(-1, axes + 1).astype(theta.dtype.numpy))
    grid = b.add("MatMul", matrix, b.transpose(theta, [0, 2, 1]))
    return b.reshape(grid, 0, *sizes, axes)
