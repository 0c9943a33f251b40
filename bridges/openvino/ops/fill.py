"""Ops that make a tensor from numbers and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import numbers_tensor
from lite.bridges.openvino.support import ANY, EXACT, FLOAT, INDEX, refused, same_dtype, unknown_result
from lite.ops.defs.fill import constant_value
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "fill_constant")
class FillConstant:
    """A constant, or one number broadcast to a shape that is computed."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, ANY) or unknown_result(op)
        if reason is None and op.get("ValueTensor") is None:
            value = constant_value(op.real("value"), op.text("str_value"), op.output().dtype)
            if isinstance(value, int) and abs(value) > EXACT:
                return f"the value is {value}, and OpenVINO rounds integers beyond {EXACT}"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, dtype = ctx.builder, op.output().dtype
        given = ctx.optional(op, "ValueTensor")
        if given is not None:
            value = b.cast(b.reshape(given, []), dtype)
        else:
            value = b.scalar(constant_value(op.real("value"), op.text("str_value"), dtype), dtype)
        shape = numbers_tensor(op, ctx, "shape", "ShapeTensorList", "ShapeTensor")
        ctx.output(op, b.broadcast(value, shape, rank=op.output().rank))


def _fill_like(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    dtype = op.output().dtype
    value = op.real("value")
    number = b.scalar(value if dtype in FLOAT else int(value), dtype)
    return b.broadcast(number, b.sizes(x), rank=op["X"].rank)


def _why_not_range(op: BridgeOp) -> str | None:
    if op.flag("allow_empty"):
        return "it may make an empty tensor"
    return same_dtype(op, *op.node.inputs)


def _range(b: Builder, op: BridgeOp, start: Tensor, end: Tensor, step: Tensor) -> Tensor:
    parts = [b.reshape(tensor, []) for tensor in (start, end, step)]
    return b.op.range(*parts, b.dtype(op.output().dtype))


def _why_not_linspace(op: BridgeOp) -> str | None:
    count = op.values("Num")
    if count is None:
        return "Num is a tensor whose number is not known"
    if op.output().dtype not in FLOAT:
        return f"its numbers are {op.output().dtype}, cut from others"
    return same_dtype(op, "Start", "Stop")


def _linspace(b: Builder, op: BridgeOp, start: Tensor, stop: Tensor) -> Tensor:
    count = (op.values("Num") or [1])[0]
    dtype = op.output().dtype
    shares = np.linspace(0, 1, count).astype(dtype.numpy)
    first, last = (b.cast(b.reshape(tensor, []), dtype) for tensor in (start, stop))
    share, rest = b.constant("shares", shares), b.constant("rest", shares[::-1].copy())
    return b.op.add(b.op.multiply(first, rest), b.op.multiply(last, share))


bridge("openvino", "fill_any_like")(Row("X", _fill_like, ANY))
bridge("openvino", "range")(Row("Start End Step", _range, FLOAT | INDEX, why=_why_not_range))
bridge("openvino", "linspace")(Row("Start Stop", _linspace, FLOAT, (("Num", INDEX),), why=_why_not_linspace))
