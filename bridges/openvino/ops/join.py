"""Ops that join tensors along an axis, or cut one into several."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import numbers, unknown_number, unknown_numbers
from lite.bridges.openvino.support import ANY, refused, same_dtype
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_concat(op: BridgeOp) -> str | None:
    return same_dtype(op, "X") or unknown_number(op, "axis", "AxisTensor")


def _concat(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    axis = element(op, "axis", "AxisTensor") or 0
    return tensors[0] if len(tensors) == 1 else b.op.concat(tensors, axis % op.all("X")[0].rank)


def _stack(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    axis = op.integer("axis") % (op.all("X")[0].rank + 1)
    return b.op.concat([b.op.unsqueeze(tensor, b.ints([axis])) for tensor in tensors], axis)


@bridge("openvino", "split")
class Split:
    """Split into equal parts, or VariadicSplit."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, ANY) or unknown_number(op, "axis", "AxisTensor")
        return reason or unknown_numbers(op, "sections", "SectionsTensorList")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        axis = b.integer((element(op, "axis", "AxisTensor") or 0) % op["X"].rank)
        sections = numbers(op, "sections", "SectionsTensorList")
        node = b.op.variadic_split(x, axis, b.ints(sections)) if sections else None
        node = b.op.split(x, axis, op.integer("num")) if node is None else node
        ctx.outputs(op, "Out", node.outputs())


@bridge("openvino", "unstack", "unbind")
class Unstack:
    """Split into single elements of an axis, which then goes."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        (slot,) = op.node.outputs
        axis = op["X"].axis(op.integer("axis"))
        parts = b.op.split(x, b.integer(axis), len(op.node.outputs[slot])).outputs()
        ctx.outputs(op, slot, [b.op.squeeze(part, b.ints([axis])) for part in parts])


bridge("openvino", "concat")(Row("X*", _concat, ANY, why=_why_not_concat))
bridge("openvino", "stack")(Row("X*", _stack, ANY, alike=True))
