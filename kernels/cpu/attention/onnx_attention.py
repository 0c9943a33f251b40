"""attention of float32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.attention.attention import Steps, bound, in_rows, is_float
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches


@kernel("attention", "cpu", dtype=DType.FLOAT32, fallback="host", per_run=())
def attention(ctx: PrepareContext) -> KernelFunction | None:
    """Attention of keys and values that need not be joined, with numbers as mask.

    None, for the host, for results other than Out, past keys, a mask of bool or of fewer keys, lengths that
    are not int64, and batches of several sizes.
    """
    from lite.kernels.cpu.lengths.attention import FAR, Visible

    slots, attrs, shape = ("Q", "K", "V"), ctx.attrs, ctx.outputs["Out"][0].sizes
    operands = [ctx.inputs[slot][0].sizes for slot in slots]
    lengths, has_sinks = ctx.inputs.get("KeyLengths"), bool(ctx.inputs.get("Sink"))
    if ctx.inputs.get("PastKey") or any(ctx.outputs.get(slot) for slot in ctx.outputs if slot != "Out"):
        return None
    if any(0 in each for each in (*operands, shape)) or not is_float(ctx, (*slots, "Mask", "Sink")):
        return None
    heads, kv_heads, kv_heads_of_v = (
        each[1] if len(each) == 4 else attrs.integer(f"{name}_num_heads")
        for each, name in zip(operands, ("q", "kv", "kv"), strict=True)
    )
    samples = operands[0][0]
    if any(each[0] != samples for each in operands) or heads % kv_heads or kv_heads != kv_heads_of_v:
        return None
    if lengths and (lengths[0].dtype is not DType.INT64 or lengths[0].sizes != (samples,)):
        return None
    (rows, depth), (keys, depth_of_k), (values, size) = (
        _row_sizes(each, count) for each, count in zip(operands, (heads, kv_heads, kv_heads), strict=True)
    )
    if depth_of_k != depth or values != keys:
        return None
    all_heads = (heads, kv_heads, kv_heads, heads)
    steps = [_steps(each, count) for each, count in zip((*operands, shape), all_heads, strict=True)]
    left, right = attrs.integer("left_window_size"), attrs.integer("right_window_size")
    is_lower_right = attrs.flag("causal_lower_right")
    after = FAR if right < 0 else right
    visible = Visible(
        heads // kv_heads,
        keys - rows if is_lower_right else 0,
        FAR if left < 0 else left,
        0 if attrs.flag("is_causal") else after,
        int(bool(lengths)),
        int(bool(lengths) and not is_lower_right),
        int(has_sinks),
    )
    job = bound(
        ctx, (samples, heads, rows, keys, depth, size), steps, attrs.real("scale") or depth**-0.5, visible,
        cap=max(attrs.real("softcap"), 0.0), nan_as_zero=bool(ctx.inputs.get("Mask")),
    )  # fmt: skip
    if job is None:
        return None

    def run(
        Q: Array,
        K: Array,
        V: Array,
        Mask: Array | None = None,
        PastKey: None = None,
        PastValue: None = None,
        KeyLengths: Array | None = None,
        Sink: Array | None = None,
        *,
        out: tuple[Array | None, ...] | None = None,
    ) -> tuple[Array, None, None, None]:
        buffer = None if out is None else out[0]
        result = np.empty(shape, np.float32) if buffer is None else buffer
        job(Q, K, V, *(each for each in (Mask, KeyLengths, Sink) if each is not None), result)
        return result, None, None, None

    return only_launches(run)


def _row_sizes(shape: Sequence[int], heads: int) -> tuple[int, int]:
    """The number of rows, and the size of a row of a head."""
    if len(shape) == 4:
        return shape[2], shape[3]
    return shape[1], shape[2] // heads


def _steps(shape: Sequence[int], heads: int) -> Steps:
    if len(shape) == 3:
        return in_rows(shape, heads, 0, 1)
    _, _, rows, columns = shape
    return 0, heads * rows * columns, rows * columns, columns
