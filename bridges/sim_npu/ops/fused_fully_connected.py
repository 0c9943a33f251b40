"""A product with a constant matrix, a bias, relu or relu6: one FULLY_CONNECTED."""

from __future__ import annotations

import math
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import sizes, why_not_tensors
from lite.bridges.sim_npu.ops.free_activation import FREE
from lite.bridges.sim_npu.ops.fused_conv import activation, added
from lite.ops.defs.elementwise import aligned
from lite.plugin.device import BridgeOp, Device, bridge
from lite.plugin.pattern import Composite, is_constant, is_op, wildcard

_PRODUCT = (
    is_op("mul")(X=wildcard(), Y=is_constant())
    | is_op("matmul_v2")(X=wildcard(), Y=is_constant()).has_attr(trans_x=False, trans_y=False)
).named("product")
_SUM = is_op("elementwise_add")(X=_PRODUCT, Y=is_constant()).named("add")

FUSED_FULLY_CONNECTED = Composite("sim_npu.fully_connected", _SUM.optional(activation))


@bridge("sim_npu", "sim_npu.fully_connected")
class FusedFullyConnected:
    """The matrix has two axes; the bias goes along the last one."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        product, add = op.captures["product"], op.captures["add"]
        matrix, x, result = product["Y"], product["X"], product.output()
        if matrix.rank != 2:
            return f"Y is {matrix}; the device's weights are one matrix"
        if x.shape is None or result.shape is None or x.rank < 2:
            return f"X is {x}; the device needs its rank, which is at least 2"
        _, padded = aligned(result.dims, added(add).shape, add.integer("axis"))
        if (
            len(padded) != result.rank
            or padded[-1] != matrix.dims[1]
            or padded[:-1] != (1,) * (result.rank - 1)
        ):
            return f"it adds {list(added(add).shape)} to {result}; the device adds one number per column"
        return why_not_tensors(product, "X", "Y") or why_not_tensors(add, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        product, builder = op.captures["product"], ctx.builder
        x, weights = ctx.input(product, "X"), ctx.input(product, "Y")
        rows = builder.reshape(x, [math.prod(x.shape) // weights.shape[0], weights.shape[0]])
        bias = builder.constant("bias", added(op.captures["add"]).reshape(-1))
        free = FREE[op.op if "activation" in op.captures else ""]
        sums = builder.add("FULLY_CONNECTED", rows, weights, bias, activation=free)
        ctx.output(op, builder.reshape(sums, sizes(op.output())))
