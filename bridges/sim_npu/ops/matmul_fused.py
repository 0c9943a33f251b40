"""mul or matmul_v2 with a constant matrix, a bias, relu or relu6 → one FULLY_CONNECTED.

X is float32 of rank 2 to 5, the matrix float32[K, M]; the bias has one number per column.
"""

from __future__ import annotations

import math
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.fused_activation import FREE
from lite.bridges.sim_npu.limits import static_shape, why_not_tensors
from lite.bridges.sim_npu.ops.convolution_fused import activation, constant_term
from lite.ops.broadcast import aligned
from lite.plugin.device import BridgeOp, Device, bridge
from lite.plugin.pattern import Composite, is_constant, is_op, wildcard

_PRODUCT = (
    is_op("mul")(X=wildcard(), Y=is_constant())
    | is_op("matmul_v2")(X=wildcard(), Y=is_constant()).has_attr(trans_x=False, trans_y=False)
).named("product")
_BIASED = is_op("elementwise_add")(X=_PRODUCT, Y=is_constant()).named("add")

FUSED_FULLY_CONNECTED = Composite("sim_npu.fully_connected", _BIASED.optional(activation))


@bridge("sim_npu", "sim_npu.fully_connected")
class FusedFullyConnected:
    """The group → FULLY_CONNECTED, between reshapes where X has more than two axes."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        product, add = op.captures["product"], op.captures["add"]
        matrix, x, result = product["Y"], product["X"], product.output()
        if matrix.rank != 2:
            return f"Y is {matrix}; the device's weights are one matrix"
        if x.shape is None or result.shape is None or x.rank < 2:
            return f"X is {x}; the device needs its rank, which is at least 2"
        term = constant_term(add)
        _, padded = aligned(result.dims, term.shape, add.integer("axis"))
        if padded != (*(1,) * (result.rank - 1), matrix.dims[1]):
            return f"it adds {list(term.shape)} to {result}; the device adds one number per column"
        return why_not_tensors(product, "X", "Y") or why_not_tensors(add, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        product, builder = op.captures["product"], ctx.builder
        x, weights = ctx.input(product, "X"), ctx.input(product, "Y")
        rows = builder.reshape(x, [math.prod(x.shape) // weights.shape[0], weights.shape[0]])
        bias = builder.constant("bias", constant_term(op.captures["add"]).reshape(-1))
        free = FREE[op.op if "activation" in op.captures else ""]
        layer = builder.add("FULLY_CONNECTED", rows, weights, bias, activation=free)
        ctx.output(op, builder.reshape(layer, static_shape(op.output())))
