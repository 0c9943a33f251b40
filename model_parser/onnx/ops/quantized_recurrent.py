"""DynamicQuantizeLSTM: an LSTM of quantised weights, which quantises its inputs by their ranges."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import read_quantization
from lite.model_parser.onnx.translations import onnx_op

_LSTM = CustomOp("dynamic_quantize_lstm", "X W R B SequenceLength H0 C0 P", "Out H C")


@onnx_op("com.microsoft.DynamicQuantizeLSTM")
def dynamic_quantize_lstm(node: OnnxNode, writer: BlockWriter) -> None:
    """`dynamic_quantize_lstm`, whose weights W and R are the dequantised ones, ``[D, 4 · H, columns]``."""
    inputs = list(node.inputs[:8])
    for position, scale in ((1, 8), (2, 10)):
        weights = _dequantized(node, writer, position, scale)
        inputs[position] = writer.weight(weights, node.input(position))
    _LSTM.write(node.as_op("LSTM", inputs, node.outputs), writer)


def _dequantized(node: OnnxNode, writer: BlockWriter, position: int, scale_position: int) -> Array:
    """The weights ``[D, columns, 4 · H]``, transposed; scales are ``[D]`` or ``[D, 4 · H]``."""
    name = node.input(position)
    numbers = writer.constant(name)
    if numbers is None or numbers.ndim != 3:
        raise node.error(f"input {position} ({name!r}): expected an initialiser with 3 axes")
    quantization = read_quantization(
        node, writer, writer.dtype(name), scale_position, scale_position + 1, count=None
    )
    directions, _, gates = numbers.shape
    real = numbers.astype(np.float32)
    if quantization.zero_point is not None:
        real -= _per_gate(node, writer, quantization.zero_point, directions, gates)
    real *= _per_gate(node, writer, quantization.scale, directions, gates)
    return np.ascontiguousarray(real.transpose(0, 2, 1))


def _per_gate(node: OnnxNode, writer: BlockWriter, name: str, directions: int, gates: int) -> Array:
    """A scale or zero point as float32 ``[D, 1, 4 · H or 1]``."""
    array = writer.constant(name)
    if array is None or array.shape not in ((directions,), (directions, gates)):
        raise node.error(
            f"input {node.inputs.index(name)} ({name!r}): expected an initialiser [{directions}] or "
            f"[{directions}, {gates}], got {'a computed value' if array is None else list(array.shape)}"
        )
    return array.reshape(directions, 1, -1).astype(np.float32)
