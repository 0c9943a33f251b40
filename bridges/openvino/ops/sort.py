"""arg_max, arg_min, top_k_v2, argsort → TopK (opset 15).

float16 and float32 of rank 1 or more, arg_max and arg_min int32 as well.  k is known; of equal elements,
arg_max and arg_min find the first.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, FLOAT_OR_INT32, INDEX, why_not_tensors
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import why_not_unknown_integer
from lite.ir.types import DType
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_last_index(op: BridgeOp) -> str | None:
    if op.flag("select_last_index"):
        return "it takes the last of equal elements (select_last_index=true), OpenVINO the first"
    return None


def _arg_row(mode: str) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
        rank = op["X"].rank
        whole = op.flag("flatten") or not rank
        axis = 0 if whole else op["X"].axis(op.integer("axis"))
        flat = b.reshape(x, [-1]) if whole else x
        node = b.op.topk(flat, b.integer(1), axis, mode, "value", "i32", stable=True)
        index = b.cast(node.output(1), op.output().dtype)
        if whole:
            return b.reshape(index, [1] * rank if op.flag("keepdims") else [])
        return index if op.flag("keepdims") else b.op.squeeze(index, b.ints([axis]))

    return Row("X", make, FLOAT_OR_INT32, check=_why_not_last_index)


@bridge("openvino", "top_k_v2")
class TopK:
    """X → TopK, always sorted."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT, {"K": INDEX}, outputs=("Indices",))
        if reason is None and not op["X"].rank:
            return "X has no axes"
        return reason or why_not_unknown_integer(op, "k", "K")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        mode = "max" if op.flag("largest") else "min"
        k = b.integer(element(op, "k", "K") or 1)
        axis = op["X"].axis(op.integer("axis"))
        node = b.op.topk(ctx.input(op, "X"), k, axis, mode, "value", "i32", stable=True)
        _output(op, ctx, node)


@bridge("openvino", "argsort")
class Argsort:
    """X → TopK of the whole axis; equal elements keep their order."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT, outputs=("Indices",))
        return reason or (None if op["X"].rank else "X has no axes")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, axis = ctx.builder, ctx.input(op, "X"), op["X"].axis(op.integer("axis"))
        mode = "max" if op.flag("descending") else "min"
        _output(op, ctx, b.op.topk(x, b.size(x, axis), axis, mode, "value", "i32", stable=True))


def _output(op: BridgeOp, ctx: Context, node: Any) -> None:
    ctx.output(op, node.output(0), "Out")
    if op.writes("Indices"):
        ctx.output(op, ctx.builder.cast(node.output(1), DType.INT64), "Indices")


bridge("openvino", "arg_max")(_arg_row("max"))
bridge("openvino", "arg_min")(_arg_row("min"))
