"""sequence_mask → Less, reverse_sequence → ReverseSequence (ONNX opset 21)."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.shape_inputs import flat_int64, scalar_int64
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("sequence_mask")
def sequence_mask(op: BridgeOp, ctx: Context) -> None:
    """sequence_mask → Less(0, 1, …, X)."""
    b, x = ctx.builder, ctx.builder.cast(ctx.input(op, "X"), DType.INT64)
    max_len, maxlen = ctx.optional(op, "MaxLenTensor"), op.integer("maxlen")
    if max_len is not None:
        end = scalar_int64(ctx, max_len)
    elif maxlen >= 0:
        end = b.scalar(maxlen, DType.INT64)
    elif op["X"].shape is None or 0 in op["X"].dims:
        raise Declined(f"X must have elements, got {op['X']}")
    else:
        end = b.add("ReduceMax", x, keepdims=0)
    positions = b.add("Range", b.scalar(0, DType.INT64), end, b.scalar(1, DType.INT64))
    inside = b.add("Less", positions, b.unsqueeze(x, -1), dtype=DType.BOOL)
    ctx.output(op, b.cast(inside, op.dtype("out_dtype", DType.INT64)), "Y")


@converts("reverse_sequence")
def reverse_sequence(op: BridgeOp, ctx: Context) -> None:
    """reverse_sequence → ReverseSequence over the first two axes."""
    batch, time = op.integer("batch_axis"), op.integer("time_axis")
    if {batch, time} != {0, 1}:
        raise Declined(f"batch_axis and time_axis must be 0 and 1, got {batch} and {time}")
    result = ctx.builder.add(
        "ReverseSequence",
        ctx.input(op, "X"),
        flat_int64(ctx, ctx.input(op, "SequenceLens"), op["SequenceLens"]),
        batch_axis=op.integer("batch_axis"),
        time_axis=op.integer("time_axis"),
    )
    ctx.output(op, result)
