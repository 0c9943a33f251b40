"""expand_v2, broadcast_to, expand_as_v2 → Expand; tile, expand_as → Tile (ONNX opset 21)."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.shape_inputs import integer_tensor, known_integers
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("expand_v2", "broadcast_to")
def expand(op: BridgeOp, ctx: Context) -> None:
    """expand_v2, broadcast_to → Expand; in expand_v2, -1 keeps the size."""
    b = ctx.builder
    slots = ("Shape", "expand_shapes_tensor") if op.op == "expand_v2" else ("Shape",)
    sizes = known_integers(op, "shape", *slots)
    if sizes is not None:
        target = b.ints(*[1 if size == -1 else size for size in sizes])
    else:
        shape = integer_tensor(op, ctx, "shape", *slots)
        target = b.add("Max", shape, b.scalar(1, DType.INT64)) if op.op == "expand_v2" else shape
    ctx.output(op, b.add("Expand", ctx.input(op, "X"), target))


@converts("expand_as_v2")
def expand_as_v2(op: BridgeOp, ctx: Context) -> None:
    """expand_as_v2 → Expand to the shape of Y."""
    b = ctx.builder
    y = ctx.optional(op, "Y")
    if y is None:
        target = b.ints(*[1 if size == -1 else size for size in op.integers("target_shape")])
    else:
        target = b.sizes(y)
    ctx.output(op, b.add("Expand", ctx.input(op, "X"), target))


@converts("expand_as")
def expand_as(op: BridgeOp, ctx: Context) -> None:
    """expand_as → Tile to the shape of target_tensor."""
    x, b = ctx.input(op, "X"), ctx.builder
    times = b.add("Div", b.sizes(ctx.input(op, "target_tensor")), b.sizes(x))
    if op["X"].shape is None or 0 in op["X"].dims:
        raise Declined(f"X must have elements, got {op['X']}")
    ctx.output(op, b.add("Tile", x, times))


@converts("tile")
def tile(op: BridgeOp, ctx: Context) -> None:
    """tile → Tile; the shorter one of shape and repeat_times is padded with ones in front."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    times = known_integers(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    if times is None:
        tensor = integer_tensor(op, ctx, "repeat_times", "RepeatTimes", "repeat_times_tensor")
        count = op["RepeatTimes"].dims[0] if op.get("RepeatTimes") else len(op.all("repeat_times_tensor"))
        if not isinstance(count, int) or count > rank:
            raise Declined(f"repeat_times must have a known length of at most {rank}, the rank of X")
        front = b.ints(*[1] * (rank - count))
        target = tensor if count == rank else b.add("Concat", front, tensor, axis=0)
    else:
        x = b.unsqueeze(x, *range(max(len(times) - rank, 0)))
        target = b.ints(*[1] * (rank - len(times)), *times)
    ctx.output(op, b.add("Tile", x, target))
