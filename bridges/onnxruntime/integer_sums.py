"""Integer nodes whose sums ONNX Runtime's CPU provider may saturate in 16 bits, without VNNI."""

from __future__ import annotations

from lite.emission.onnx.builder import OnnxNode
from lite.ir.types import DType
from lite.plugin.device.short_sums import MOST, pair_sums

_OPERANDS = {
    "ConvInteger": (0, 1, 1),
    "MatMulInteger": (0, 1, -2),
    "QLinearConv": (0, 3, 1),
    "QLinearMatMul": (0, 3, -2),
}
"""Op → the inputs that are multiplied, and the axis of the second along which products are added."""


def why_not_sums(node: OnnxNode) -> str | None:
    """Why the sums of a node of uint8 times int8 may saturate; None where its weights are small enough."""
    if node.op_type not in _OPERANDS:
        return None
    first, second, axis = _OPERANDS[node.op_type]
    x, y = node.inputs[first], node.inputs[second]
    if x is None or y is None or (x.dtype, y.dtype) != (DType.UINT8, DType.INT8):
        return None
    if y.array is not None and y.array.ndim > 1 and pair_sums(y.array, axis).max(initial=0) <= MOST:
        return None
    return f"ONNX Runtime may saturate the sums of {node.op_type} in 16 bits on a processor without VNNI"
