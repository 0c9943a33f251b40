"""pool_nd of maxima and averages over up to three axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import Window, windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pool_lines = Function("pool_lines.pool_lines")

_MOST_AXES = 3


@kernel("pool_nd", "cpu", dtype=DType.FLOAT32, fallback="host")
def pool_nd(ctx: PrepareContext) -> KernelFunction | None:
    """Maximum or average of the windows of ``float32[N, C, …]``; without dilation and indices."""
    attrs, shape = ctx.attrs, ctx.inputs["X"][0].sizes
    image, out_shape = shape[2:], ctx.outputs["Out"][0].sizes
    kind = attrs.text("pooling_type")
    over = windows(
        image, attrs.integers("ksize"), attrs.integers("strides"), attrs.integers("dilations"),
        attrs.integers("paddings"), attrs.text("padding_algorithm"),
    )  # fmt: skip
    if kind == "lp" or ctx.outputs.get("Indices") or len(image) > _MOST_AXES or 0 in (*shape, *out_shape):
        return None
    if any(window.dilation != 1 and window.kernel != 1 for window in over):
        return None
    from lite.kernels.cpu.tile_sizes import LANES

    missing = _MOST_AXES - len(image)
    sizes, outs = (*[1] * missing, *image), (*[1] * missing, *out_shape[2:])
    ranges = [(np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(1))] * missing
    ranges += [
        _ranges(window, size, out, exclusive=attrs.flag("exclusive"))
        for window, size, out in zip(over, image, out_shape[2:], strict=True)
    ]
    counts = np.asarray(math.prod(np.ix_(*(inside for _, _, inside in ranges))))
    with np.errstate(divide="ignore"):
        factors = (1 / counts).astype(np.float32).reshape(-1)
    spans = math.prod(int((ends - starts).sum()) for starts, ends, _ in ranges)
    volumes = shape[0] * shape[1]
    inner = _inner_windows(*ranges[2][:2], over[-1])
    compute = _pool_lines.bind(
        FREE, FREE, *(edge for starts, ends, _ in ranges for edge in (starts, ends)), factors,
        ctx.scratch_per_thread(sizes[2] + over[-1].stride * LANES), int(kind == "max"), -np.inf,
        np.array([*sizes, *outs, *inner, over[-1].stride], np.int64),
        count=volumes * outs[0] * outs[1], cost=PER_ELEMENT * volumes * spans,
    )  # fmt: skip

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, None]:
        pooled = np.empty(out_shape, np.float32) if out is None or out[0] is None else out[0]
        compute(X, pooled)
        return pooled, None

    return only_launches(run)


def _ranges(window: Window, size: int, out: int, *, exclusive: bool) -> tuple[Array, Array, Array]:
    """The range inside the input of each window along an axis, and the elements that count in it."""
    starts = np.arange(out, dtype=np.int64) * window.stride - window.before
    ends = starts + window.kernel
    first, last = np.clip(starts, 0, size), np.clip(ends, 0, size)
    inside = last - first if exclusive else np.minimum(ends, size + window.after) - starts
    return first, np.maximum(first, last), _as_counts(inside)


def _inner_windows(starts: Array, ends: Array, window: Window) -> tuple[int, int]:
    """The range of windows along an axis that no edge cuts."""
    inside = np.flatnonzero(ends - starts == window.kernel)
    return (int(inside[0]), int(inside[-1]) + 1) if inside.size else (0, 0)


def _as_counts(numbers: Sequence[int] | Array) -> Array:
    return np.maximum(np.asarray(numbers, np.float64), 0)
