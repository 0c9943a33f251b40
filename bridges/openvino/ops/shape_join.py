"""concat, stack → Concat; split → Split or VariadicSplit; unstack → Split and Squeeze (opset 15).

All types but float64, of one type.  Axes and sections are known.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import ANY, why_not_mixed_types, why_not_tensors
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import (
    known_integers,
    why_not_unknown_integer,
    why_not_unknown_integers,
)
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_concat(op: BridgeOp) -> str | None:
    return why_not_mixed_types(op, "X") or why_not_unknown_integer(op, "axis", "AxisTensor")


def _concat(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    axis = element(op, "axis", "AxisTensor") or 0
    return tensors[0] if len(tensors) == 1 else b.op.concat(tensors, axis % op.all("X")[0].rank)


def _stack(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    axis = op.integer("axis") % (op.all("X")[0].rank + 1)
    return b.op.concat([b.op.unsqueeze(tensor, b.ints([axis])) for tensor in tensors], axis)


@bridge("openvino", "split")
class Split:
    """X → Split into equal parts, or VariadicSplit by `sections`."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, ANY) or why_not_unknown_integer(op, "axis", "AxisTensor")
        return reason or why_not_unknown_integers(op, "sections", "SectionsTensorList")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        axis = b.integer((element(op, "axis", "AxisTensor") or 0) % op["X"].rank)
        sections = known_integers(op, "sections", "SectionsTensorList")
        node = b.op.variadic_split(x, axis, b.ints(sections)) if sections else None
        node = b.op.split(x, axis, op.integer("num")) if node is None else node
        ctx.outputs(op, "Out", node.outputs())


@bridge("openvino", "unstack")
class Unstack:
    """X → Split into slices of size 1, and Squeeze."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        axis = op["X"].axis(op.integer("axis"))
        parts = b.op.split(x, b.integer(axis), len(op.node.outputs["Y"])).outputs()
        ctx.outputs(op, "Y", [b.op.squeeze(part, b.ints([axis])) for part in parts])


bridge("openvino", "concat")(Row("X*", _concat, ANY, check=_why_not_concat))
bridge("openvino", "stack")(Row("X*", _stack, ANY, one_type=True))
