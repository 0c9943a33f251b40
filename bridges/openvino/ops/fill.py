"""Tensors from numbers and shapes → Constant, Broadcast, Range, OneHot, Select (opset 15).

Integers are at most 2^24.  linspace computes float16 and float32, of a known Num; one_hot and one_hot_v2 take
a known depth, tril_triu a known diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import (
    ANY,
    EXACT,
    FLOAT,
    INDEX,
    NUMBER,
    why_not_mixed_types,
    why_not_tensors,
    why_not_unknown_rank,
)
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import integer_tensor, why_not_unknown_integer
from lite.ir.types import DType
from lite.ops.shape_input import element
from lite.ops.value_attrs import constant_value
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "fill_constant")
class FillConstant:
    """fill_constant → Broadcast of a Constant or of ValueTensor."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, ANY) or why_not_unknown_rank(op)
        if reason is None and op.get("ValueTensor") is None:
            value = constant_value(op.real("value"), op.text("str_value"), op.output().dtype)
            if isinstance(value, int) and abs(value) > EXACT:
                return f"the value is {value}, and OpenVINO rounds integers beyond {EXACT}"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, dtype = ctx.builder, op.output().dtype
        tensor = ctx.optional(op, "ValueTensor")
        if tensor is not None:
            value = b.cast(b.reshape(tensor, []), dtype)
        else:
            value = b.scalar(constant_value(op.real("value"), op.text("str_value"), dtype), dtype)
        shape = integer_tensor(op, ctx, "shape", "ShapeTensorList", "ShapeTensor")
        ctx.output(op, b.broadcast(value, shape, rank=op.output().rank))


def _fill_like(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    dtype = op.output().dtype
    value = op.real("value")
    number = b.scalar(value if dtype in FLOAT else int(value), dtype)
    return b.broadcast(number, b.sizes(x), rank=op["X"].rank)


def _why_not_range(op: BridgeOp) -> str | None:
    if op.flag("allow_empty"):
        return "its result may be empty (allow_empty=true)"
    return why_not_mixed_types(op, *op.node.inputs)


def _range(b: Builder, op: BridgeOp, start: Tensor, end: Tensor, step: Tensor) -> Tensor:
    parts = [b.reshape(tensor, []) for tensor in (start, end, step)]
    return b.op.range(*parts, b.dtype(op.output().dtype))


def _why_not_linspace(op: BridgeOp) -> str | None:
    if op.values("Num") is None:
        return "Num is a tensor whose number is not known"
    if op.output().dtype not in FLOAT:
        return f"its result is {op.output().dtype}, expected float16 or float32"
    return why_not_mixed_types(op, "Start", "Stop")


def _linspace(b: Builder, op: BridgeOp, start: Tensor, stop: Tensor) -> Tensor:
    count = (op.values("Num") or [1])[0]
    dtype = op.output().dtype
    weights = np.linspace(0, 1, count).astype(dtype.numpy)
    first, last = (b.cast(b.reshape(tensor, []), dtype) for tensor in (start, stop))
    ascending, descending = b.constant("weights", weights), b.constant("weights", weights[::-1].copy())
    return b.op.add(b.op.multiply(first, descending), b.op.multiply(last, ascending))


def _why_not_one_hot(op: BridgeOp) -> str | None:
    return why_not_unknown_integer(op, "depth", "depth_tensor")


def _one_hot(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    depth = element(op, "depth", "depth_tensor") or 1
    dtype = op.output().dtype
    return b.op.one_hot(x, b.integer(depth), b.scalar(1, dtype), b.scalar(0, dtype), -1)


def _why_not_triangle(op: BridgeOp) -> str | None:
    return why_not_unknown_integer(op, "diagonal", "DiagonalTensor")


def _triangle(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """A Select by column − row, compared with the diagonal."""
    rank = op["X"].rank
    rows, columns = (
        b.op.range(b.integer(0), b.size(x, axis), b.integer(1), b.dtype(DType.INT64))
        for axis in (rank - 2, rank - 1)
    )
    offsets = b.op.subtract(columns, b.op.unsqueeze(rows, b.ints([1])))
    diagonal = b.integer(element(op, "diagonal", "DiagonalTensor") or 0)
    compare = b.op.less_equal if op.flag("lower") else b.op.greater_equal
    return b.op.select(compare(offsets, diagonal), x, b.like(0, x))


@bridge("openvino", "meshgrid")
class Meshgrid:
    """The vectors of X → Broadcast, each along its own axis."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, ANY)

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


bridge("openvino", "fill_any_like")(Row("X", _fill_like, ANY))
bridge("openvino", "range")(Row("Start End Step", _range, FLOAT | INDEX, check=_why_not_range))
bridge("openvino", "linspace")(Row("Start Stop", _linspace, FLOAT, {"Num": INDEX}, check=_why_not_linspace))
bridge("openvino", "one_hot_v2")(Row("X", _one_hot, INDEX, check=_why_not_one_hot))
bridge("openvino", "tril_triu")(
    Row("X", _triangle, NUMBER, {"DiagonalTensor": INDEX}, check=_why_not_triangle)
)
