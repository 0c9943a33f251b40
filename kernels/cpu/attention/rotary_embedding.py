"""rotary_embedding of float32 (J. Su et al., "RoFormer", 2021)."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.attention.attention import is_float
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_rotate = Function("rotary.rotate")


@kernel("rotary_embedding", "cpu", dtype=DType.FLOAT32, fallback="host", per_run=())
def rotary_embedding(ctx: PrepareContext) -> KernelFunction | None:
    """X with pairs of elements of each head rotated by the angles of their positions.

    None, for the host, for positions that are not an int64 for each row, and for caches of other sizes.
    """
    [x], [cos], [sin] = (ctx.inputs[slot] for slot in ("X", "CosCache", "SinCache"))
    positions, attrs, shape = ctx.inputs.get("PositionIds"), ctx.attrs, x.sizes
    if 0 in shape or not is_float(ctx, ("X", "CosCache", "SinCache")):
        return None
    if len(shape) == 4:
        samples, heads, rows, size = shape
        steps = (heads * rows * size, rows * size, size)
    else:
        samples, rows, columns = shape
        heads = attrs.integer("num_heads")
        size = columns // max(heads, 1)
        steps = (rows * columns, size, columns)
    pairs = (attrs.integer("rotary_embedding_dim") or size) // 2
    if not heads or 2 * pairs > size or cos.sizes != sin.sizes or cos.sizes[-1] != pairs or 0 in cos.sizes:
        return None
    if positions and (positions[0].dtype is not DType.INT64 or positions[0].sizes != (samples, rows)):
        return None
    if cos.sizes != ((cos.sizes[0], pairs) if positions else (samples, rows, pairs)):
        return None
    angles = math.prod(cos.sizes[:-1])
    failures = IndexFailures("PositionIds", [angles])
    rotate = _rotate.bind(
        FREE, FREE, FREE, FREE if positions else None, FREE, failures.array, np.array(steps, np.int64), rows,
        heads, size, pairs, angles, int(bool(positions)), int(attrs.flag("interleaved")),
        count=samples * rows, cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip
    plain = launching(rotate, ctx.outputs["Out"][0])

    def run(
        X: Array, CosCache: Array, SinCache: Array, PositionIds: Array | None, *, out: Array | None = None
    ) -> Array:
        result: Array = plain(
            X, CosCache, SinCache, *(() if PositionIds is None else (PositionIds,)), out=out
        )
        return result

    return only_launches(run, failures.error if positions else None)
