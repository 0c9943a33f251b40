"""Tensors from numbers and shapes → constants; one_hot_v2 → ONE_HOT."""

from __future__ import annotations

import numpy as np

from lite.emission.attributes import require_integer
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.ops.value_attrs import constant_value
from lite.plugin.device import BridgeOp


def _shape(op: BridgeOp, ctx: Context) -> None:
    """shape → a constant."""
    numbers = np.array(sizes(op["Input"]), op.output().dtype.numpy)
    ctx.output(op, ctx.builder.array(numbers))


def _fill_constant(op: BridgeOp, ctx: Context) -> None:
    """fill_constant → a constant, of a known shape and value."""
    result = op.output()
    if op.get("ValueTensor") is not None:
        raise Declined("its value is a tensor")
    value = constant_value(op.real("value"), op.text("str_value"), result.dtype)
    ctx.output(op, ctx.builder.array(np.full(sizes(result), value, result.dtype.numpy)))


def _fill_like(op: BridgeOp, ctx: Context) -> None:
    """fill_any_like → a constant."""
    dtype = op.output().dtype
    value = op.real("value")
    number = np.array(value if dtype.is_float else int(value), dtype.numpy)
    ctx.output(op, ctx.builder.array(np.broadcast_to(number, sizes(op["X"]))))


def _one_hot(op: BridgeOp, ctx: Context) -> None:
    b, x, dtype = ctx.builder, ctx.input(op, "X"), op.output().dtype
    depth = require_integer(op, "depth", "depth_tensor")
    stored = b.form(x)
    scalars = [b.stored_array(np.array(number, dtype.numpy)) for number in (1, 0)]
    count = b.stored_array(np.array(depth, np.int32))
    result = b.add("ONE_HOT", [stored, count, *scalars], (*stored.shape, depth), dtype, axis=-1)
    ctx.output(op, b.wrap(result))


def _range(op: BridgeOp, ctx: Context) -> None:
    """range → a constant, from known numbers."""
    result, start, step = op.output(), op.constant("Start"), op.constant("Step")
    if result.is_static and (start is None or step is None):
        raise Declined("Start or Step are computed, expected constants")
    count = sizes(result)[0]
    first, stride = (0 if each is None else each.reshape(-1)[0] for each in (start, step))
    ctx.output(op, ctx.builder.array((first + np.arange(count) * stride).astype(result.dtype.numpy)))


register(
    __name__,
    {
        "fill_any_like": _fill_like,
        "fill_constant": _fill_constant,
        "one_hot_v2": _one_hot,
        "range": _range,
        "shape": _shape,
    },
)
