"""Ops that repeat a tensor along its axes."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import numbers, numbers_tensor
from lite.bridges.openvino.support import ANY, refused, unknown_result
from lite.plugin.device import BridgeOp, Device, bridge

_SLOTS = {
    "expand_v2": ("shape", "Shape", "expand_shapes_tensor"),
    "broadcast_to": ("shape", "Shape"),
    "tile": ("repeat_times", "RepeatTimes", "repeat_times_tensor"),
}


@bridge("openvino", "expand_v2", "broadcast_to")
class Expand:
    """Broadcast both ways: where the wanted size is 1 or -1, that of the tensor stays."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, ANY) or unknown_result(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, names = ctx.builder, _SLOTS[op.op]
        known = numbers(op, *names)
        shape = known and [max(size, 1) for size in known]
        if shape is None:
            shape = b.op.maximum(numbers_tensor(op, ctx, *names), b.integer(1))
        ctx.output(op, b.broadcast(ctx.input(op, "X"), shape, rank=op.output().rank))


@bridge("openvino", "tile")
class Tile:
    """Tile; numbers and sizes are aligned at the last axis."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        times = numbers_tensor(op, ctx, *_SLOTS["tile"])
        ctx.output(op, ctx.builder.op.tile(ctx.input(op, "X"), times))


def _expand_as(b: Builder, op: BridgeOp, x: Tensor, y: Tensor | None) -> Tensor:
    shape = [max(size, 1) for size in op.integers("target_shape")] if y is None else b.sizes(y)
    return b.broadcast(x, shape, rank=op.output().rank)


def _why_not_multiples(op: BridgeOp) -> str | None:
    if not (op["X"].is_static and op["target_tensor"].is_static):
        return f"all sizes must be known, got X {op['X']} and target_tensor {op['target_tensor']}"
    return None


def _repeat_as(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    pairs = zip(op["target_tensor"].dims, op["X"].dims, strict=True)
    return b.op.tile(x, b.ints([int(wanted) // int(size) for wanted, size in pairs]))


@bridge("openvino", "meshgrid")
class Meshgrid:
    """Vectors broadcast against each other, each along an axis of its own."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        vectors = [b.reshape(tensor, [-1]) for tensor in ctx.inputs(op, "X")]
        shape = b.op.concat([b.sizes(vector) for vector in vectors], 0)
        count = len(vectors)
        placed = [
            b.reshape(vector, [-1 if axis == n else 1 for axis in range(count)])
            for n, vector in enumerate(vectors)
        ]
        ctx.outputs(op, "Out", [b.broadcast(tensor, shape, rank=count) for tensor in placed])


bridge("openvino", "expand_as_v2")(Row("X Y?", _expand_as, ANY, why=unknown_result))
bridge("openvino", "expand_as")(Row("X", _repeat_as, ANY, why=_why_not_multiples))
