"""nearest_interp_v2, bilinear_interp_v2 → RESIZE.

X float32[N, C, H, W].  The device steps through the image by the ratio of the sizes; Paddle steps by the
`scale` of the op, which may differ where the new size was rounded: such an op is declined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import are_known, static_shape, why_not_tensors
from lite.ops.resize_sizes import factors
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "nearest_interp_v2", "bilinear_interp_v2")
class Resize:
    """X → RESIZE in mode NEAREST or LINEAR, aligned at CORNERS, CENTRES or TOP."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.text("data_layout") not in ("NCHW", "AnyLayout"):
            return f"images are {op.text('data_layout')}; the device takes NCHW"
        if op.flag("ratio_for_one"):
            return "ratio_for_one is set; the device takes the first pixel where the result has one"
        return why_not_tensors(op, "X") or _why_not_step(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        nearest = op.op.startswith("nearest")
        align = "CORNERS" if op.flag("align_corners") else "TOP"
        if align == "TOP" and not nearest and op.integer("align_mode") == 0:
            align = "CENTRES"
        mode = "NEAREST" if nearest else "LINEAR"
        size = static_shape(op.output())[2:]
        ctx.output(op, ctx.builder.add("RESIZE", ctx.input(op, "X"), size=size, mode=mode, align=align))


def _why_not_step(op: BridgeOp) -> str | None:
    scales = factors(op.reals("scale"), 2)
    if not scales or op.flag("ratio_from_sizes") or op.flag("align_corners") or op["X"].shape is None:
        return None
    image, result = op["X"].dims[2:], op.output().dims[2:]
    if not are_known(image) or not are_known(result):
        return None
    for size, new, scale in zip(image, result, scales, strict=True):
        if new != 1 and np.float32(size) / np.float32(new) != np.float32(1 / np.float32(scale)):
            return f"its scale {scale:g} makes {new} of {size}; the device steps by the ratio of the sizes"
    return None
