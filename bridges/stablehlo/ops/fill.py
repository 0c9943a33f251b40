"""fill_constant, fill_any_like, shape, range, one_hot_v2 → constants, compare.

Shapes and numbers are known; one_hot_v2 takes computed indices.
"""

from __future__ import annotations

import numpy as np

from lite.emission.attributes import require_integer
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.stablehlo.bridging import Context, register
from lite.ops.value_attrs import constant_value
from lite.plugin.device import BridgeOp


def _shape(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, ctx.builder.array(np.array(sizes(op["Input"]), op.output().dtype.numpy)))


def _fill_constant(op: BridgeOp, ctx: Context) -> None:
    result = op.output()
    if op.get("ValueTensor") is not None:
        raise Declined("its value is a tensor")
    value = constant_value(op.real("value"), op.text("str_value"), result.dtype)
    number = np.array(value).astype(result.dtype.numpy)
    ctx.output(op, ctx.builder.array(np.broadcast_to(number, sizes(result))))


def _fill_like(op: BridgeOp, ctx: Context) -> None:
    dtype, value = op.output().dtype, op.real("value")
    number = np.array(value if dtype.is_float else int(value), dtype.numpy)
    ctx.output(op, ctx.builder.array(np.broadcast_to(number, sizes(op["X"]))))


def _one_hot(op: BridgeOp, ctx: Context) -> None:
    """one_hot_v2 → 1 where the index equals the position along a new last axis."""
    b, x = ctx.builder, ctx.input(op, "X")
    depth = require_integer(op, "depth", "depth_tensor")
    index = b.reshape(x, (*x.shape, 1))
    found = b.compare("EQ", index, b.array(np.arange(depth).astype(x.dtype.numpy)))
    ctx.output(op, b.cast(found, op.output().dtype))


def _range(op: BridgeOp, ctx: Context) -> None:
    """range → a constant, from known numbers."""
    result, start, step = op.output(), op.constant("Start"), op.constant("Step")
    if result.is_static and (start is None or step is None):
        raise Declined("Start or Step are computed, expected constants")
    first, stride = (0 if each is None else each.reshape(-1)[0] for each in (start, step))
    numbers = first + np.arange(sizes(result)[0]) * stride
    ctx.output(op, ctx.builder.array(numbers.astype(result.dtype.numpy)))


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
