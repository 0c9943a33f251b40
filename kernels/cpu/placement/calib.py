"""calib without scales: a cast."""

from __future__ import annotations

from lite.kernels.cpu.elementwise.cast import cast
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel


@kernel("calib", "cpu", fallback="host")
def calib(ctx: PrepareContext) -> KernelFunction | None:
    """X as elements of another type; the host quantises and dequantises."""
    return None if ctx.attrs.reals("scale") else cast(ctx)
