"""affine_grid of float32."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_affine_grid = Function("sampling.affine_grid")


@kernel("affine_grid", "cpu", dtype=DType.FLOAT32, slots=("Theta",), packs=("OutputShape",), fallback="host")
def affine_grid(ctx: PrepareContext) -> KernelFunction | None:
    """Positions ``[N, H, W, 2]`` or ``[N, D, H, W, 3]`` from matrices; None for a computed shape."""
    if ctx.inputs.get("OutputShape") and ctx.constant("OutputShape") is None:
        return None
    theta, [out] = ctx.inputs["Theta"][0].sizes, ctx.outputs["Output"]
    batch, *sizes, rank = out.sizes
    if rank not in (2, 3) or theta != (batch, rank, rank + 1) or 0 in out.sizes:
        return None
    volume = (*[1] * (3 - rank), *sizes)
    steps = (_steps(size, ctx.attrs.flag("align_corners")) for size in volume)
    job = _affine_grid.bind(
        FREE, FREE, *steps, *volume, rank,
        count=math.prod(out.sizes[:-2]), cost=PER_ELEMENT * math.prod(out.sizes),
    )  # fmt: skip
    return launching(job, out)


def _steps(size: int, align_corners: bool) -> Array:
    """The positions from -1 to 1 along an axis: of elements, whose edges or, with `align_corners`, centres
    are at the ends."""
    steps = np.linspace(-1, 1, size) if size > 1 else np.full(size, -1.0)
    return (steps if align_corners else steps * (size - 1) / size).astype(np.float32)
