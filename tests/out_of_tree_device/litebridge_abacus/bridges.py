"""Bridges of relu, of elementwise_add, and of both as one composite."""

from __future__ import annotations

from typing import Any

from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Conversion, Device, bridge


def why_not_tensors(op: BridgeOp, *slots: str) -> str | None:
    for slot in slots:
        meta = op[slot]
        if meta.dtype is not DType.FLOAT32 or meta.shape is None or len(meta.shape) != len(op["X"].dims):
            return f"{slot} is {meta}; the abacus takes float32 of known and equal ranks"
    return None


@bridge("abacus", "relu")
class Relu:
    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Conversion[Any, str]) -> None:
        ctx.output(op, ctx.builder.call("relu", ctx.input(op, "X")))


@bridge("abacus", "elementwise_add")
class Add:
    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Conversion[Any, str]) -> None:
        ctx.output(op, ctx.builder.call("add", ctx.input(op, "X"), ctx.input(op, "Y")))


@bridge("abacus", "abacus.add_relu")
class AddRelu:
    """The composite: `op` is the relu, the addition is captured."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op.captures["add"], "X", "Y")

    def convert(self, op: BridgeOp, ctx: Conversion[Any, str]) -> None:
        add = op.captures["add"]
        ctx.output(op, ctx.builder.call("add_relu", ctx.input(add, "X"), ctx.input(add, "Y")))
