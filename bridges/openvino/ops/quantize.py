"""affine_quantize, affine_dequantize → Divide, Round, Add, Clamp, Convert (opset 15).

The ops are ONNX's QuantizeLinear and DequantizeLinear.  Limits: int8 and uint8, float16 and float32; one
scale, or one for each index of an axis; no blocks.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, DTypes
from lite.bridges.openvino.row import Row
from lite.ir.types import DType
from lite.ops.view import Meta, product
from lite.plugin.device import BridgeOp, bridge

_BYTES: DTypes = frozenset({DType.INT8, DType.UINT8})

_RANGES = {DType.INT8: (-128.0, 127.0), DType.UINT8: (0.0, 255.0)}


def _why_not_quantize(op: BridgeOp) -> str | None:
    if op.output().dtype not in _BYTES:
        return f"its result is {op.output().dtype}, expected int8 or uint8"
    return _why_not_blocks(op)


def _why_not_blocks(op: BridgeOp) -> str | None:
    if op.integer("block_size"):
        return f"block_size is {op.integer('block_size')}, expected 0: one scale, or one per index of an axis"
    return None


def _broadcastable(b: Builder, op: BridgeOp, numbers: Tensor, meta: Meta) -> Tensor:
    """One number, or one for each index of the axis, cast to Scale's type and reshaped to broadcast to X."""
    numbers = b.cast(numbers, op["Scale"].dtype)
    rank = op["X"].rank
    if product(meta.dims) == 1:
        return b.reshape(numbers, [])
    return b.reshape(numbers, [-1 if n == op["X"].axis(op.integer("axis")) else 1 for n in range(rank)])


def _quantize(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor, zero: Tensor | None) -> Tensor:
    target = op.output().dtype
    quotient = b.op.divide(b.cast(x, op["Scale"].dtype), _broadcastable(b, op, scale, op["Scale"]))
    rounded = b.op.round(quotient, "half_to_even")
    if zero is not None:
        rounded = b.op.add(rounded, _broadcastable(b, op, zero, op["ZeroPoint"]))
    return b.cast(b.op.clamp(rounded, *_RANGES[target]), target)


def _dequantize(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor, zero: Tensor | None) -> Tensor:
    numbers = b.cast(x, op["Scale"].dtype)
    if zero is not None:
        numbers = b.op.subtract(numbers, _broadcastable(b, op, zero, op["ZeroPoint"]))
    return b.cast(b.op.multiply(numbers, _broadcastable(b, op, scale, op["Scale"])), op.output().dtype)


bridge("openvino", "affine_quantize")(
    Row("X Scale ZeroPoint?", _quantize, FLOAT, {"ZeroPoint": _BYTES}, check=_why_not_quantize)
)
bridge("openvino", "affine_dequantize")(
    Row("X Scale ZeroPoint?", _dequantize, FLOAT, {"X": _BYTES, "ZeroPoint": _BYTES}, check=_why_not_blocks)
)
