"""Ops that order elements: the places of extremes, the k greatest, whole orders."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import unknown_number
from lite.bridges.openvino.support import FLOAT, INDEX, NARROW, refused
from lite.ir.types import DType
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, Device, bridge


def _why_not_extreme(op: BridgeOp) -> str | None:
    if op.flag("select_last_index"):
        return "of equal elements the last is wanted (select_last_index=true)"
    return None


def _extreme(mode: str) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
        rank = op["X"].rank
        whole = op.flag("flatten") or not rank
        axis = 0 if whole else op["X"].axis(op.integer("axis"))
        flat = b.reshape(x, [-1]) if whole else x
        node = b.op.topk(flat, b.integer(1), axis, mode, "value", "i32", stable=True)
        found = b.cast(node.output(1), op.output().dtype)
        if whole:
            return b.reshape(found, [1] * rank if op.flag("keepdims") else [])
        return found if op.flag("keepdims") else b.op.squeeze(found, b.ints([axis]))

    return Row("X", make, NARROW, why=_why_not_extreme)


@bridge("openvino", "top_k_v2")
class TopK:
    """TopK, always sorted; k may be a tensor."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT, {"K": INDEX}, outputs=("Indices",))
        if reason is None and not op["X"].rank:
            return "X has no axes"
        return reason or unknown_number(op, "k", "K")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        mode = "max" if op.flag("largest") else "min"
        k = b.integer(element(op, "k", "K") or 1)
        axis = op["X"].axis(op.integer("axis"))
        node = b.op.topk(ctx.input(op, "X"), k, axis, mode, "value", "i32", stable=True)
        _put(op, ctx, node)


@bridge("openvino", "argsort")
class Argsort:
    """TopK of as many elements as the axis has; equal ones keep their order."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT, outputs=("Indices",))
        return reason or (None if op["X"].rank else "X has no axes")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, axis = ctx.builder, ctx.input(op, "X"), op["X"].axis(op.integer("axis"))
        mode = "max" if op.flag("descending") else "min"
        count = b.op.gather(b.sizes(x), b.integer(axis), b.integer(0))
        _put(op, ctx, b.op.topk(x, count, axis, mode, "value", "i32", stable=True))


def _put(op: BridgeOp, ctx: Context, node: Any) -> None:
    ctx.output(op, node.output(0), "Out")
    if op.writes("Indices"):
        ctx.output(op, ctx.builder.cast(node.output(1), DType.INT64), "Indices")


bridge("openvino", "arg_max")(_extreme("max"))
bridge("openvino", "arg_min")(_extreme("min"))
