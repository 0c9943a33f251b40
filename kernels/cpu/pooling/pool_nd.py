"""pool_nd of maxima and averages over up to three axes; of maxima also with indices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.pooling.indices import pooling_with_indices, window_taps
from lite.ops.window import Window, windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pool_lines = Function("pool.pool_lines")

_MOST_AXES = 3


@kernel("pool_nd", "cpu", dtype=DType.FLOAT32, fallback="host")
def pool_nd(ctx: PrepareContext) -> KernelFunction | None:
    """Maximum or average of the windows of ``float32[N, C, …]``."""
    attrs, shape = ctx.attrs, ctx.inputs["X"][0].sizes
    image, out_shape = shape[2:], ctx.outputs["Out"][0].sizes
    kind = attrs.text("pooling_type")
    over = windows(
        image, attrs.integers("ksize"), attrs.integers("strides"), attrs.integers("dilations"),
        attrs.integers("paddings"), attrs.text("padding_algorithm"),
    )  # fmt: skip
    if kind == "lp" or len(image) > _MOST_AXES or 0 in (*shape, *out_shape):
        return None
    if ctx.outputs.get("Indices"):
        taps, steps = window_taps(over, image, out_shape[2:]), _index_steps(ctx, image)
        dilations = [window.dilation for window in over]
        is_max = kind == "max"
        return pooling_with_indices(shape, out_shape, taps, dilations, steps, DType.INT64) if is_max else None
    if over[-1].before < 0:
        return None
    counts = [
        _counts(window, size, out, exclusive=attrs.flag("exclusive"))
        for window, size, out in zip(over, image, out_shape[2:], strict=True)
    ]
    channels = shape[0] * shape[1]
    compute = lines_job(ctx, over, image, (channels, *out_shape[2:]), counts, kind == "max", -np.inf)

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, None]:
        pooled = np.empty(out_shape, np.float32) if out is None or out[0] is None else out[0]
        compute(X, pooled)
        return pooled, None

    return only_launches(run)


def lines_job(
    ctx: PrepareContext, over: Sequence[Window], image: Sequence[int], outs: Sequence[int],
    counts: Sequence[Array], is_max: bool, lowest: float,
) -> Job:  # fmt: skip
    """The job that pools the last axes, of sizes `image`; `outs` are the channels and the results' sizes.

    `counts` are for each axis the elements that count in the average of each window; `lowest` is the
    maximum of an empty window.
    """
    from lite.kernels.cpu.lengths.volumes import pool_row
    from lite.kernels.cpu.tile_sizes import LANES

    missing, channels = _MOST_AXES - len(image), outs[0]
    sizes, results = (*[1] * missing, *image), (*[1] * missing, *outs[1:])
    taps = window_taps(over, image, outs[1:])
    ranges = [(np.zeros(1, np.int64), np.ones(1, np.int64))] * missing
    ranges += [
        (first, first + (count - 1) * window.dilation + 1)
        for (first, count), window in zip(taps, over, strict=True)
    ]
    with np.errstate(divide="ignore"):
        factors = np.asarray(1 / math.prod(np.ix_(*counts)), np.float32).reshape(-1)
    spans = math.prod(int(count.sum()) for _, count in taps)
    empty = np.flatnonzero(ranges[2][0] >= ranges[2][1])
    last = over[-1]
    dilations = *[1] * missing, *(int(window.dilation) for window in over)
    return _pool_lines.bind(
        FREE, FREE, *(edge for each in ranges[:2] for edge in each), empty,
        np.append(factors, np.zeros(LANES, np.float32)),
        ctx.scratch_per_thread(pool_row(sizes[2], results[2], last.before, last.extent, last.stride)),
        int(is_max), lowest,
        np.array(
            [*sizes, *results, last.before, last.kernel, last.stride, len(empty), *dilations], np.int64
        ),
        count=channels * results[0] * results[1], cost=PER_ELEMENT * channels * spans,
    )  # fmt: skip


def _index_steps(ctx: PrepareContext, image: Sequence[int]) -> list[int]:
    """The differences of the indices of neighbours along each axis, and of planes."""
    rank = len(image)
    if ctx.attrs.flag("column_major"):
        return [math.prod(image[:n]) for n in range(rank + 1)]
    return [*(math.prod(image[n + 1 :]) for n in range(rank)), math.prod(image)]


def _counts(window: Window, size: int, out: int, *, exclusive: bool) -> Array:
    """The elements of each window along an axis that count in its average."""
    taps = np.arange(out)[:, None] * window.stride - window.before
    taps = taps + np.arange(window.kernel) * window.dilation
    inside = taps < size + (0 if exclusive else window.after)
    return np.asarray((inside & (taps >= 0) if exclusive else inside).sum(axis=1, dtype=np.float64))
