"""grid_sampler: samples of an image at the fractional positions of a grid."""

from __future__ import annotations

from lite.emitters.c.expression import INCLUDE
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter

_PADDINGS = ("zeros", "border", "reflection")


@emitter("c", "grid_sampler")
def grid_sampler(op: EmitOp, out: Emission) -> str | None:
    """The nearest pixel, or the bilinear mean of four, at each position of Grid.

    X float32[N, C, H, W], Grid float32[N, oH, oW, 2] → float32[N, C, oH, oW].  A position in Grid is a column
    and a row; -1 and 1 are the borders of the image.
    """
    x, grid, y = op["X"], op["Grid"], op.out()
    mode, padding = op.text("mode"), op.text("padding_mode")
    if x.dtype is not DType.FLOAT32 or grid.dtype is not DType.FLOAT32:
        return f"inputs must be float32, got {x} and {grid}"
    if mode not in ("nearest", "bilinear") or padding not in _PADDINGS or x.rank != 4:
        return (
            f"expected mode nearest or bilinear, padding_mode {', '.join(_PADDINGS)} and X of rank 4, "
            f"got {mode}, {padding} and {x}"
        )
    out.use(INCLUDE / "grid.h")
    out.read(x, "x")
    out.read(grid, "grid")
    out.write(y, "y")
    n, c, h, w = x.shape
    out.code(
        f"lb_grid_sampler({n}, {c}, {h}, {w}, {y.shape[2] * y.shape[3]}, {int(mode == 'nearest')}, "
        f"{_PADDINGS.index(padding)}, {int(op.flag('align_corners'))}, x, grid, y);"
    )
    return None
