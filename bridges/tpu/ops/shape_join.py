"""concat, stack → Concat; split → Slice for each part."""

from __future__ import annotations

from typing import Any

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_tensors
from lite.bridges.tpu.ops.shape_slice import sliced
from lite.bridges.tpu.row import Context, Row
from lite.bridges.tpu.shape_inputs import why_not_unknown_integers
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_axis(op: BridgeOp) -> str | None:
    return why_not_unknown_integers(op, "axis", "AxisTensor") if op.get("AxisTensor") is not None else None


def _concat(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    axis = (element(op, "axis", "AxisTensor") or 0) % op.all("X")[0].rank
    return tensors[0] if len(tensors) == 1 else b.lang.concat(tensors, axis=axis)


def _stack(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    shape = list(op.all("X")[0].sizes)
    axis = op.integer("axis") % (len(shape) + 1)
    shape.insert(axis, 1)
    parts = [b.shaped(tensor, shape) for tensor in tensors]
    return parts[0] if len(parts) == 1 else b.lang.concat(parts, axis=axis)


@bridge("tpu", "split")
class Split:
    """X → a Slice for each part."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, ("AxisTensor", "SectionsTensorList")) or _why_not_axis(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, shape = ctx.builder, ctx.input(op, "X"), op["X"].sizes
        axis = (element(op, "axis", "AxisTensor") or 0) % len(shape)
        start, parts = 0, []
        for part in op.outputs("Out"):
            starts, ends = [0] * len(shape), list(shape)
            starts[axis], ends[axis] = start, start + part.sizes[axis]
            parts.append(sliced(b, x, shape, starts, ends))
            start = ends[axis]
        ctx.outputs(op, "Out", parts)


bridge("tpu", "concat")(Row("X*", _concat, _why_not_axis, known=("AxisTensor",)))
bridge("tpu", "stack")(Row("X*", _stack))
