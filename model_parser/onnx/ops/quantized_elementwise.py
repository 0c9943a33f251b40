"""ONNX Runtime's QLinear ops without windows or products: elementwise ops, Softmax, Concat, ReduceMean.

Each becomes dequantise → op → quantise.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import Quantization, dequantize, quantize, read_quantization
from lite.model_parser.onnx.translations import onnx_op, translate


@dataclass(frozen=True)
class _Unary:
    """The ONNX op in the middle, the opset of its attributes, and the type that it computes in."""

    op: str
    opset: int
    dtype: DType


_UNARY = {
    "com.microsoft.QLinearLeakyRelu": _Unary("LeakyRelu", 16, DType.FLOAT32),
    "com.microsoft.QLinearReduceMean": _Unary("ReduceMean", 13, DType.FLOAT64),
    "com.microsoft.QLinearSigmoid": _Unary("Sigmoid", 13, DType.FLOAT32),
}

_BINARY = {"com.microsoft.QLinearAdd": "elementwise_add", "com.microsoft.QLinearMul": "elementwise_mul"}


@onnx_op(*_UNARY)
def unary(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of the table, with the attributes of the node."""
    row, x = _UNARY[node.op], node.input(0)
    dtype = writer.dtype(x)
    source = read_quantization(node, writer, dtype, 1, 2)
    target = read_quantization(node, writer, dtype, 3, 4)
    result = writer.new_name(node.output())
    real = dequantize(writer, x, source, row.dtype)
    translate(node.as_op(row.op, [real], [result], row.opset), writer)
    quantize(writer, result, target, node.output())


@onnx_op("com.microsoft.QLinearSoftmax")
def softmax(node: OnnxNode, writer: BlockWriter) -> None:
    """`softmax` in float64; the number of steps from 0 to 1, which is 1 / the scale, is rounded down."""
    x = node.input(0)
    dtype = writer.dtype(x)
    source = read_quantization(node, writer, dtype, 1, 2)
    target = read_quantization(node, writer, dtype, 3, 4)
    opset = node.integer("opset", 0)
    if opset < 1:
        raise node.error("attribute opset is missing: the meaning of axis depends on it")
    real, result = dequantize(writer, x, source, DType.FLOAT64), writer.new_name(node.output())
    translate(node.as_op("Softmax", [real], [result], opset), writer)
    quantize(writer, result, _of_whole_steps(writer, target), node.output())


def _of_whole_steps(writer: BlockWriter, target: Quantization) -> Quantization:
    scale = writer.constant(target.scale)
    if scale is None:
        return target
    steps = np.maximum(np.floor(np.float32(1) / scale.astype(np.float32)), 1).astype(np.float64)
    return Quantization(writer.weight(1 / steps, target.scale), target.zero_point, target.dtype)


@onnx_op(*_BINARY)
def binary(node: OnnxNode, writer: BlockWriter) -> None:
    """`elementwise_add` or `elementwise_mul` in float64; the zero point is added before rounding."""
    dtype = writer.dtype(node.input(0))
    first, second = (_dequantized(node, writer, position, DType.FLOAT64) for position in (0, 3))
    result = writer.binary(_BINARY[node.op], first, second)
    target = read_quantization(node, writer, dtype, 6, 7)
    quantize(writer, result, target, node.output(), zero_point_first=True)


@onnx_op("com.microsoft.QLinearConcat")
def concat(node: OnnxNode, writer: BlockWriter) -> None:
    """`concat` of tensors with a scale and zero point each; the inputs begin with the result's."""
    count, rest = divmod(len(node.inputs) - 2, 3)
    if count < 1 or rest:
        raise node.error(
            "expected the scale and zero point of the result, and three inputs for each tensor, got "
            f"{len(node.inputs)} inputs"
        )
    parts = [_dequantized(node, writer, position, DType.FLOAT32) for position in range(2, 2 + 3 * count, 3)]
    result = writer.new_name(node.output())
    writer.emit("concat", {"X": parts}, {"Out": result}, {"axis": node.integer("axis", 0)})
    target = read_quantization(node, writer, writer.dtype(node.input(2)), 0, 1)
    quantize(writer, result, target, node.output())


@onnx_op("com.microsoft.QLinearWhere")
def where(node: OnnxNode, writer: BlockWriter) -> None:
    """`where`, whose operands have a scale and zero point each."""
    dtype = writer.dtype(node.input(1))
    operands = [_dequantized(node, writer, position, DType.FLOAT32) for position in (1, 4)]
    result = writer.new_name(node.output())
    translate(node.as_op("Where", [node.input(0), *operands], [result]), writer)
    quantize(writer, result, read_quantization(node, writer, dtype, 7, 8), node.output())


def _dequantized(node: OnnxNode, writer: BlockWriter, position: int, dtype: DType) -> str:
    """The tensor at a position, whose scale and zero point are the next two inputs, in a float type."""
    x = node.input(position)
    source = read_quantization(node, writer, writer.dtype(x), position + 1, position + 2)
    return dequantize(writer, x, source, dtype)
