"""Resizing and sampling of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.shape import ints
from lite.tools.fuzz.ops.windows import image


@row(0.7)
def resize(d: Draw) -> Value:
    """Resize by scales and sizes, all modes, coordinate transformations and roundings."""
    x = image(d, 4, where=lambda v: v.array.size < 3000)
    mode = d.pick(("nearest", "linear", "cubic"))
    if d.opset >= 11 and mode == "nearest" and d.chance(0.3):
        # Of weighted means ONNX Runtime cuts the fraction off, the reference evaluator rounds them.
        x = d.input(d.array(x.shape, d.pick(("uint8", "int8"))))
    if d.opset < 11:
        scales = d.constant(np.asarray([1, 1, *(d.pick((1, 2)) for _ in range(2))], np.float32))
        if mode == "cubic":
            mode = "linear"
        return d.node("Upsample" if d.opset < 10 else "Resize", [x, scales], mode=mode)
    attrs: dict[str, Any] = {"mode": mode}
    attrs["coordinate_transformation_mode"] = d.pick(
        ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    )
    if mode == "nearest":
        attrs["nearest_mode"] = d.pick(("round_prefer_floor", "floor", "ceil", "round_prefer_ceil"))
    if mode == "cubic":
        attrs["cubic_coeff_a"] = d.pick((-0.75, -0.5))
        attrs["exclude_outside"] = d.integer(0, 1)
    if d.opset >= 18 and d.chance(0.2) and mode != "nearest":
        attrs["antialias"] = 1
    roi = None if d.opset >= 13 or d.chance(0.3) else d.constant(np.zeros(0, np.float32))
    if d.chance(0.5):
        sizes = [*x.shape[:2], *(d.integer(1, 9) for _ in range(2))]
        return d.node("Resize", [x, roi, None, ints(d, sizes)], **attrs)
    factors = [1.0, 1.0, *(d.pick((0.5, 1, 2, 3, 1.5, 0.7)) for _ in range(2))]
    if attrs["coordinate_transformation_mode"] == "align_corners":
        # ONNX takes size × scale for the last position, ONNX Runtime the next smaller integer.
        factors = [f if float(f * n).is_integer() else 2.0 for f, n in zip(factors, x.shape, strict=True)]
    return d.node("Resize", [x, roi, d.constant(np.asarray(factors, np.float32))], **attrs)


@row(0.35)
def grid_sample(d: Draw) -> Value:
    """GridSample in all modes and paddings; AffineGrid."""
    if d.opset < 16:
        raise Rejected("no GridSample yet")
    x = image(d, 4)
    rows, columns = d.integer(1, 4), d.integer(1, 4)
    if d.opset >= 20 and d.chance(0.3):
        theta = d.fresh(d.array((x.shape[0], 2, 3)))
        # ONNX has one position at -1, ONNX Runtime at 1, PyTorch at 0.
        aligned = 0 if 1 in (rows, columns) else d.integer(0, 1)
        sizes = ints(d, [*x.shape[:2], rows, columns])
        grid = d.node("AffineGrid", [theta, sizes], align_corners=aligned)
    else:
        grid = d.fresh(d.array((x.shape[0], rows, columns, 2)))
    modes = ("bilinear", "bicubic") if d.opset < 20 else ("linear", "cubic")
    return d.node(
        "GridSample",
        [x, grid],
        mode=d.pick(modes),
        padding_mode=d.pick(("zeros", "border", "reflection")),
        align_corners=d.integer(0, 1),
    )


@row(0.2)
def roi_align(d: Draw) -> Value:
    """RoiAlign, average and maximum."""
    x = image(d, 4)
    count = d.integer(1, 3)
    corners = np.sort(np.abs(d.array((count, 2, 2))), 1) * 2
    rois = d.fresh(corners.reshape(count, 4).astype(np.float32))
    batch = d.fresh(np.asarray([d.integer(0, x.shape[0] - 1) for _ in range(count)], "int64"))
    attrs: dict[str, Any] = {"mode": d.pick(("avg", "max"))}
    if d.opset >= 16:
        attrs["coordinate_transformation_mode"] = d.pick(("half_pixel", "output_half_pixel"))
    return d.node(
        "RoiAlign",
        [x, rois, batch],
        output_height=d.integer(1, 3),
        output_width=d.integer(1, 3),
        sampling_ratio=d.integer(0, 2),
        spatial_scale=d.pick((1.0, 0.5)),
        **attrs,
    )
