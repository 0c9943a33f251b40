"""Poolings of images in NHWC."""

from __future__ import annotations

from lite.emitters.c.expression import INCLUDE
from lite.ir.types import DType
from lite.ops.image_attributes import PoolAttributes
from lite.plugin.emitter import Emission, EmitOp, emitter


@emitter("c", "pool2d", channels_last=True)
def pool2d(op: EmitOp, out: Emission) -> str | None:
    """Maxima, or averages, of windows that are cut at the border."""
    x, y, attrs = op["X"], op.out(), op.read(PoolAttributes)
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    if not op.in_nhwc and not attrs.is_channel_last:
        return "images must be in NHWC"
    out.use(INCLUDE / "pool.h")
    out.read(x, "x")
    out.write(y, "y")
    n, h, w, c = x.shape
    sizes = f"{n}, {h}, {w}, {c}, {y.shape[1]}, {y.shape[2]}"
    if attrs.adaptive and not attrs.is_max:
        out.code(f"lb_pool_bins({sizes}, x, y);")
        return None
    if attrs.is_global:
        down = right = None
        window = f"{h}, {w}, 1, 1, 0, 0, 1"
    else:
        down, right = attrs.windows((h, w))
        window = (
            f"{down.kernel}, {right.kernel}, {down.stride}, {right.stride}, {down.before}, {right.before}, "
            f"{int(attrs.exclusive)}"
        )
    out.code(f"lb_pool({sizes}, {window}, {int(attrs.is_max)}, x, y);")
    return None
