"""expand_v2, broadcast_to, expand_as_v2 → Broadcast; tile, expand_as → Tile (opset 15).

float16, float32, int8, uint8, int32, int64 and bool.  The rank of the result must be known;
expand_as needs all sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import ANY, why_not_tensors, why_not_unknown_rank
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import integer_tensor, known_integers
from lite.ir.types import Dim
from lite.plugin.device import BridgeOp, Device, bridge

_ONE_ORDER = 6
"""The fewest axes of a tensor that OpenVINO's CPU plugin stores in one order only."""

_SLOTS = {
    "expand_v2": ("shape", "Shape", "expand_shapes_tensor"),
    "broadcast_to": ("shape", "Shape"),
    "tile": ("repeat_times", "RepeatTimes", "repeat_times_tensor"),
}


@bridge("openvino", "expand_v2", "broadcast_to")
class Expand:
    """X → Broadcast in both directions; a target size of 1 or -1 keeps the size of X."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, ANY) or why_not_unknown_rank(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, names = ctx.builder, _SLOTS[op.op]
        known = known_integers(op, *names)
        shape = known and [max(size, 1) for size in known]
        if shape is None:
            shape = b.op.maximum(integer_tensor(op, ctx, *names), b.integer(1))
        ctx.output(op, b.broadcast(ctx.input(op, "X"), shape, rank=op.output().rank))


@bridge("openvino", "tile")
class Tile:
    """X → Tile; the numbers of repetitions and the axes of X are aligned at the last one.

    If the numbers are computed, OpenVINO 2026.4 leaves parts of results of four or more axes unwritten.
    """

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, ANY)
        if reason is None and known_integers(op, *_SLOTS["tile"]) is None and op.output().rank > 3:
            return (
                f"its numbers of repetitions are computed, and Out is {op.output()}, expected at most 3 axes"
            )
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, known = ctx.builder, known_integers(op, *_SLOTS["tile"])
        if known is not None:
            ctx.output(op, _repeated(b, ctx.input(op, "X"), op["X"].dims, known))
        else:
            ctx.output(op, b.op.tile(ctx.input(op, "X"), integer_tensor(op, ctx, *_SLOTS["tile"])))


def _repeated(b: Builder, x: Tensor, dims: Sequence[Dim], times: Sequence[int]) -> Tensor:
    """`x`, of shape `dims`, repeated along its axes.

    OpenVINO 2026.4 takes [N, 1, H, W] for [N, H, W, 1], which lies in memory alike, and repeats along H what
    it should repeat along axis 1, if a size is not known.  Axes of size 1 before the others prevent it.
    """
    rank = max(len(dims), len(times))
    axes = [*[1] * (rank - len(dims)), *dims]
    times = [*[1] * (rank - len(times)), *times]
    if rank not in (4, 5) or times[1] == 1 or (isinstance(axes[1], int) and axes[1] > 1):
        return b.op.tile(x, b.ints(times))
    more = _ONE_ORDER - rank
    x = b.op.unsqueeze(x, b.ints(range(_ONE_ORDER - len(dims))))
    return b.op.squeeze(b.op.tile(x, b.ints([*[1] * more, *times])), b.ints(range(more)))


def _expand_as(b: Builder, op: BridgeOp, x: Tensor, y: Tensor | None) -> Tensor:
    shape = [max(size, 1) for size in op.integers("target_shape")] if y is None else b.sizes(y)
    return b.broadcast(x, shape, rank=op.output().rank)


def _why_not_multiples(op: BridgeOp) -> str | None:
    if not (op["X"].is_static and op["target_tensor"].is_static):
        return f"all sizes must be known, got X {op['X']} and target_tensor {op['target_tensor']}"
    return None


def _repeat_as(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    dims = op["X"].dims
    pairs = zip(op["target_tensor"].dims, dims, strict=True)
    return _repeated(b, x, dims, [int(target) // int(size) for target, size in pairs])


bridge("openvino", "expand_as_v2")(Row("X Y?", _expand_as, ANY, check=why_not_unknown_rank))
bridge("openvino", "expand_as")(Row("X", _repeat_as, ANY, check=_why_not_multiples))
