"""fused_attention and fused_qkv_attention of float32."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.machine import cache_elements
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_attend = Function("attention.attend")

Steps = tuple[int, int, int, int]
"""The offset of the first element, and the steps of samples, heads and rows."""

_PART = 4
"""The weights of a block have one part of so many of the second-level cache."""

_MOST_ROWS = 96
"""Rows of weights after which a block is no faster for being larger."""

_ITEMS, _LEAST_ROWS = 16, 128
"""Work items that threads can share, and the fewest rows for which an item packs K and V of its head."""


@kernel("fused_attention", "cpu", dtype=DType.FLOAT32, fallback="host", per_run=())
def fused_attention(ctx: PrepareContext) -> KernelFunction | None:
    """Q, K and V by sample and head, or with `head_number` with the heads side by side in each row.

    None for more than two leading axes that differ, and for masks of single elements.
    """
    q, k, v = (ctx.inputs[slot][0].sizes for slot in ("Q", "K", "V"))
    shape, heads = ctx.outputs["Out"][0].sizes, ctx.attrs.integer("head_number")
    if 0 in (*q, *k, *v, *shape) or not is_float(ctx, ("Q", "K", "V", "Mask")):
        return None
    if heads:
        samples, depth, size = shape[0], q[2] // heads, v[2] // heads
        steps = [in_rows(each, heads, 0, 1) for each in (q, k, v, shape)]
    else:
        lead = _two(shape[:-2])
        found = [_by_head(each, shape[:-2]) for each in (q, k, v, shape)]
        if any(each is None for each in found):
            return None
        steps = [each for each in found if each is not None]
        (samples, heads), depth, size = lead, q[-1], v[-1]
    sizes = (samples, heads, q[-2], k[-2], depth, size)
    job = bound(ctx, sizes, steps, ctx.attrs.real("scale"), nan_as_zero=ctx.attrs.flag("nan_as_zero"))
    if job is None:
        return None

    def run(Q: Array, K: Array, V: Array, Mask: Array | None = None, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        job(Q, K, V, *(() if Mask is None else (Mask,)), result)
        return result

    return only_launches(run)


@kernel("fused_qkv_attention", "cpu", dtype=DType.FLOAT32, fallback="host", per_run=())
def fused_qkv_attention(ctx: PrepareContext) -> KernelFunction | None:
    """fused_attention of Q, K and V side by side in each row."""
    x, shape, heads = (
        ctx.inputs["QKV"][0].sizes,
        ctx.outputs["Out"][0].sizes,
        ctx.attrs.integer("head_number"),
    )
    if 0 in (*x, *shape) or not is_float(ctx, ("QKV", "Mask")):
        return None
    samples, rows, columns = x
    depth = columns // 3 // heads
    steps = [*(in_rows(x, heads, part, 3) for part in range(3)), in_rows(shape, heads, 0, 1)]
    sizes = (samples, heads, rows, rows, depth, depth)
    job = bound(ctx, sizes, steps, ctx.attrs.real("scale"), nan_as_zero=ctx.attrs.flag("nan_as_zero"))
    if job is None:
        return None

    def run(QKV: Array, Mask: Array | None = None, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        job(QKV, QKV, QKV, *(() if Mask is None else (Mask,)), result)
        return result

    return only_launches(run)


def is_float(ctx: PrepareContext, slots: Sequence[str]) -> bool:
    """Whether all inputs of these slots are float32."""
    return all(meta.dtype is DType.FLOAT32 for slot in slots for meta in ctx.inputs.get(slot, ()))


def in_rows(shape: Sequence[int], heads: int, part: int, parts: int) -> Steps:
    """The steps in rows of heads, of which there are `parts` tensors side by side; one sample is for all."""
    samples, rows, columns = shape
    width = columns // parts
    return part * width, rows * columns if samples > 1 else 0, width // heads, columns


def _two(lead: Sequence[int]) -> tuple[int, int]:
    """The leading axes as two: all but the last one are merged."""
    return (math.prod(lead[:-1]), lead[-1]) if lead else (1, 1)


def _by_head(shape: Sequence[int], lead: Sequence[int]) -> Steps | None:
    """The steps of an operand whose leading axes broadcast to `lead`; None where merged ones differ."""
    rows, columns = shape[-2:]
    mine = (1,) * (len(lead) - len(shape) + 2) + tuple(shape[:-2])
    outer, inner = mine[:-1], mine[-1:]
    heads, samples = math.prod(inner), math.prod(outer)
    if samples not in (1, math.prod(lead[:-1])):
        return None
    size = rows * columns
    return 0, heads * size if samples > 1 else 0, size if heads > 1 else 0, columns


def _mask_steps(shape: Sequence[int], samples: int, heads: int, rows: int, keys: int) -> Steps | None:
    """The steps of a mask that broadcasts to ``[samples, heads, rows, keys]``."""
    if len(shape) > 4 or not shape or shape[-1] != keys:
        return None
    sizes = (1,) * (4 - len(shape)) + tuple(shape)
    if any(a not in (1, b) for a, b in zip(sizes, (samples, heads, rows), strict=False)):
        return None
    steps = [math.prod(sizes[axis + 1 :]) if sizes[axis] > 1 else 0 for axis in range(3)]
    return 0, steps[0], steps[1], steps[2]


def bound(
    ctx: PrepareContext,
    sizes: tuple[int, int, int, int, int, int],
    steps: Sequence[Steps],
    scale: float,
    visible: Sequence[int] = (),
    *,
    cap: float = 0.0,
    nan_as_zero: bool,
) -> Job | None:
    """The job of Q, K, V, those of Mask, KeyLengths and Sink that the op has, and the result.

    `sizes` are those of samples, heads, rows, keys, and of a row of Q and K and of V; `visible` is what the
    rows see, by default all keys.  None for masks of single elements.
    """
    from lite.kernels.cpu.lengths.attention import Visible, scratch_elements
    from lite.kernels.cpu.lengths.products import padded_channels
    from lite.kernels.cpu.tile_sizes import ROWS, columns_for

    samples, heads, rows, keys, depth, size = sizes
    masks = ctx.inputs.get("Mask", ())
    mask: Steps | None = (0, 0, 0, 0)
    if masks:
        shape = masks[0].sizes
        is_flat = len(ctx.outputs["Out"][0].sizes) > 4 and len(shape) > 2 and math.prod(shape[:-2]) > 1
        mask = None if is_flat else _mask_steps(shape, samples, heads, rows, keys)
    if mask is None:
        return None
    key_columns, columns = columns_for(keys), columns_for(size)
    padded = padded_channels(keys, key_columns)
    # The weights are read soon after they are written; packed K and V need the rest of the cache.
    tile = max(ROWS[key_columns], ROWS[columns])
    block = min(max(cache_elements() // _PART // padded // tile, 1) * tile, _MOST_ROWS // tile * tile, rows)
    parts = max(min(_ITEMS // max(samples * heads, 1), rows // _LEAST_ROWS), 1)
    *operands, out = steps
    zeros = np.zeros(max(padded, padded_channels(size, columns)), np.float32)
    scratch = ctx.scratch_per_thread(scratch_elements(rows, keys, depth, size, key_columns, columns, block))
    optional = [FREE if ctx.inputs.get(slot) else None for slot in ("Mask", "KeyLengths", "Sink")]
    numbers = [number for each in (*operands, mask, out) for number in each]
    return _attend.bind(
        FREE, FREE, FREE, *optional, zeros, np.array([1, 0, -np.inf, np.inf, 0], np.float32), scratch, FREE,
        np.array([*numbers, *(visible or Visible())], np.int64), scale, cap, heads, rows, keys, depth, size,
        key_columns, columns, block, int(bool(masks)), int(nan_as_zero), parts, count=samples * heads * parts,
        cost=samples * heads * rows * keys * (depth + size),
    )  # fmt: skip
