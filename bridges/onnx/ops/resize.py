"""*_interp_v2 → Resize (ONNX opset 21).

X float32[N, C, …] with 1 to 3 spatial axes, or channels last; Scale is constant.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.interpolation import scale_places_pixels, stated_scales
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.emission.onnx.shape_inputs import flat_int64
from lite.ops.resize_sizes import OUT_ATTRS, scaled
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
    """linear, bilinear, trilinear, bicubic, nearest_interp_v2 → Resize, with scales or with sizes."""
    b, layout = ctx.builder, op.text("data_layout")
    rank = op["X"].rank
    last = is_channel_last(layout)
    x = b.channels_first(ctx.input(op, "X"), rank, last=last)
    scales, sizes = _target(op, ctx)
    # Without the attribute `axes`: when ONNX Runtime (1.31) moves a Transpose across Resize, it permutes the
    # sizes but not `axes`.
    if scales is not None:
        scales = b.add("Concat", b.array(np.ones(2, np.float32)), scales, axis=0)
    else:
        sizes = b.add("Concat", b.slice(b.sizes(x), [0], [2], [0]), sizes, axis=0)
    result = b.add("Resize", x, None, scales, sizes, **_positions(op))
    ctx.output(op, b.channels_restored(result, rank, last=last))


def _positions(op: BridgeOp) -> Attributes:
    align_corners, method = op.flag("align_corners"), op.op.partition("_")[0]
    if method == "nearest":
        if align_corners:
            return {"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}
        return {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if align_corners:
        mode = "align_corners"
    elif method == "bicubic" or (op.integer("align_mode") == 0 and op.flag("ratio_for_one")):
        mode = "half_pixel"
    else:
        mode = "pytorch_half_pixel" if op.integer("align_mode") == 0 else "asymmetric"
    if method == "bicubic":
        return {"coordinate_transformation_mode": mode, "mode": "cubic", "cubic_coeff_a": -0.75}
    return {"coordinate_transformation_mode": mode, "mode": "linear"}


def _target(op: BridgeOp, ctx: Context) -> tuple[Tensor | None, Tensor | None]:
    """The scales float32[axes] or the sizes int64[axes] of the spatial axes; the other one is None."""
    b, image = ctx.builder, spatial(op.text("data_layout"), op["X"].dims)
    axes = len(image)
    if scale_places_pixels(op):
        raise Declined("sizes and scale are both given: Paddle maps positions by scale, ONNX by the sizes")
    if op.all("SizeTensor"):
        pairs = zip(ctx.inputs(op, "SizeTensor"), op.all("SizeTensor"), strict=True)
        parts = [flat_int64(ctx, *each) for each in pairs]
        return None, parts[0] if len(parts) == 1 else b.add("Concat", *parts, axis=0)
    if op.get("OutSize") is not None:
        return None, flat_int64(ctx, ctx.input(op, "OutSize"), op["OutSize"])
    scales = stated_scales(op, axes)
    if scales is None:
        raise Declined("Scale is computed, expected a constant")
    if not scales:
        return None, b.ints(*[op.integer(name) for name in OUT_ATTRS[-axes:]])
    sizes = [scaled(size, factor) for size, factor in zip(image, scales, strict=True)]
    known = [size for size in sizes if isinstance(size, int)]
    by_ratio = op.flag("ratio_from_sizes")
    if by_ratio and len(known) == axes:
        return None, b.ints(*known)
    if by_ratio and any(factor % 1 for factor in scales):
        raise Declined(f"the sizes of the image must be known to scale it by {scales}")
    return b.array(np.array(scales, np.float32)), None
