"""Resizing of images, grids of positions, and sampling at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes, Tensor
from lite.bridges.onnxruntime.ops.sizes import flat_int64, numbers
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.defs.interp import OUT_ATTRS, factors, scaled
from lite.ops.window import is_channel_last, spatial
from lite.plugin.device import BridgeOp


@converts(
    "bicubic_interp_v2",
    "bilinear_interp_v2",
    "linear_interp_v2",
    "nearest_interp_v2",
    "trilinear_interp_v2",
)
def interp(op: BridgeOp, ctx: Context) -> None:
    """Resize; without a scale, positions go by the ratio of the sizes."""
    b, layout = ctx.builder, op.text("data_layout")
    rank = op["X"].rank
    last = is_channel_last(layout)
    x = ctx.input(op, "X")
    x = b.transpose(x, [0, rank - 1, *range(1, rank - 1)]) if last else x
    scales, sizes = _target(op, ctx)
    # Not by `axes`: where it moves transposes, ONNX Runtime (1.31) permutes sizes and forgets axes.
    if scales is not None:
        scales = b.add("Concat", b.array(np.ones(2, np.float32)), scales, axis=0)
    else:
        sizes = b.add("Concat", b.cut(b.sizes(x), [0], [2], [0]), sizes, axis=0)
    result = b.add("Resize", x, None, scales, sizes, **_positions(op))
    ctx.output(op, b.transpose(result, [0, *range(2, rank), 1]) if last else result)


def _positions(op: BridgeOp) -> Attributes:
    align_corners, method = op.flag("align_corners"), op.op.partition("_")[0]
    if method == "nearest":
        if align_corners:
            return {"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}
        return {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if align_corners:
        mode = "align_corners"
    elif method == "bicubic":
        mode = "half_pixel"
    else:
        mode = "pytorch_half_pixel" if op.integer("align_mode") == 0 else "asymmetric"
    if method == "bicubic":
        return {"coordinate_transformation_mode": mode, "mode": "cubic", "cubic_coeff_a": -0.75}
    return {"coordinate_transformation_mode": mode, "mode": "linear"}


def _target(op: BridgeOp, ctx: Context) -> tuple[Tensor | None, Tensor | None]:
    """Scales or sizes of the spatial axes, as tensors."""
    b, image = ctx.builder, spatial(op.text("data_layout"), op["X"].dims)
    axes = len(image)
    if op.all("SizeTensor"):
        pairs = zip(ctx.inputs(op, "SizeTensor"), op.all("SizeTensor"), strict=True)
        parts = [flat_int64(ctx, *each) for each in pairs]
        return None, parts[0] if len(parts) == 1 else b.add("Concat", *parts, axis=0)
    if op.get("OutSize") is not None:
        return None, flat_int64(ctx, ctx.input(op, "OutSize"), op["OutSize"])
    given = op.get("Scale")
    if given is not None and given.value is None:
        raise CompileError("the scale must be known before the run")
    found = op.reals("scale") if given is None or given.value is None else given.value.reshape(-1).tolist()
    used = factors(found, axes)
    if not used:
        return None, b.ints(*[op.integer(name) for name in OUT_ATTRS[-axes:]])
    sizes = [scaled(size, factor) for size, factor in zip(image, used, strict=True)]
    known = [size for size in sizes if isinstance(size, int)]
    by_ratio = op.flag("ratio_from_sizes")
    if by_ratio and len(known) == axes:
        return None, b.ints(*known)
    if by_ratio and any(factor % 1 for factor in used):
        raise CompileError(f"the sizes of the image must be known to scale it by {used}")
    return b.array(np.array(used, np.float32)), None


@converts("resize")
def resize(op: BridgeOp, ctx: Context) -> None:
    """Resize."""
    b = ctx.builder
    scales, sizes = ctx.optional(op, "Scales"), ctx.optional(op, "Sizes")
    axes = op.integers("axes")
    mode = op.text("coordinate_transformation_mode")
    if mode == "align_corners" and scales is not None:
        raise CompileError(
            "corners are aligned by ONNX with the scaled size, by ONNX Runtime with a whole one"
        )
    attributes: Attributes = {
        "mode": op.text("mode"),
        "coordinate_transformation_mode": mode,
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
    """GridSample."""
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
    """A product with the positions where sizes are known, else AffineGrid."""
    b, given = ctx.builder, ctx.optional(op, "OutputShape")
    known = numbers(op, "output_shape", "OutputShape")
    if known is not None:
        ctx.output(op, _positions_times(op, ctx, known[2:]))
        return
    sizes = (
        b.ints(*op.integers("output_shape")) if given is None else flat_int64(ctx, given, op["OutputShape"])
    )
    result = b.add("AffineGrid", ctx.input(op, "Theta"), sizes, align_corners=int(op.flag("align_corners")))
    ctx.output(op, result)


def _positions_times(op: BridgeOp, ctx: Context, sizes: Sequence[int]) -> Tensor:
    """Positions (x, y) from -1 to 1, each as (x, y, 1), transformed by Theta; a single one is at -1."""
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


@converts("deformable_conv")
def deformable_conv(op: BridgeOp, ctx: Context) -> None:
    """DeformConv."""
    paddings = op.integers("paddings")
    pads = paddings * 2 if len(paddings) == 2 else [paddings[0], paddings[2], paddings[1], paddings[3]]
    b, bias = ctx.builder, ctx.optional(op, "Bias")
    result = b.add(
        "DeformConv",
        ctx.input(op, "Input"),
        ctx.input(op, "Filter"),
        ctx.input(op, "Offset"),
        bias if bias is None else b.flat(bias),
        ctx.optional(op, "Mask"),
        strides=op.integers("strides"),
        dilations=op.integers("dilations"),
        pads=pads,
        group=op.integer("groups"),
        offset_group=op.integer("deformable_groups"),
    )
    ctx.output(op, result)
