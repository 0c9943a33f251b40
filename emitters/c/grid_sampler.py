"""Images read at fractional positions."""

from __future__ import annotations

from lite.emitters.c.expression import INCLUDE
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter

_PADDINGS = ("zeros", "border", "reflection")


@emitter("c", "grid_sampler")
def grid_sampler(op: EmitOp, out: Emission) -> str | None:
    """The nearest pixel, or a mean of four, at each position of Grid."""
    x, grid, y = op["X"], op["Grid"], op.out()
    mode, padding = op.text("mode"), op.text("padding_mode")
    if x.dtype is not DType.FLOAT32 or grid.dtype is not DType.FLOAT32:
        return f"inputs must be float32, got {x} and {grid}"
    if mode not in ("nearest", "bilinear") or padding not in _PADDINGS or x.rank != 4:
        return f"mode {mode} with padding {padding} of {x} is not supported"
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
