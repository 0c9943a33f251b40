"""Quantised values for the HTP: 8 or 16 bits between nodes, 8 bits for weights.

A quantised value is QuantizeLinear and DequantizeLinear, and the HTP computes a node between such values in
integers if its constants are integers, too.  So `finished` gives those of convolutions and products a scale
for each output channel or one, biases the scale of the sums, and other real constants that of an activation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lite.emission.onnx.builder import Attributes, Builder, OnnxNode, Tensor
from lite.emission.onnx.quantize import integer_constant, round_tensor
from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.types import Array, DType
from lite.ops.number_range import number_range
from lite.ops.view import Meta

_CHANNEL_AXIS = {"Conv": 0, "ConvTranspose": None, "MatMul": None, "Gemm": None}
"""Nodes with weights at input 1 and a bias at input 2: the axis of weights with a scale for each channel."""

_OPERANDS = frozenset({"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Pow", "Concat"})
"""Nodes that take constants as they take activations."""

_LEAST = 1e-30


class QuantizedHtpBuilder(Builder):
    """A graph whose quantised values are stored as `activation`, uint8 or uint16."""

    def __init__(self, opset: int, activation: DType) -> None:
        super().__init__(opset)
        self._activation = activation

    def rounded(self, name: str, tensor: Tensor, meta: Meta) -> Tensor:
        """The tensor after QuantizeLinear and DequantizeLinear."""
        return round_tensor(self, tensor, replace(meta, quant=self._stored_as(meta.quant)))

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> Tensor:
        """A constant of integers after DequantizeLinear."""
        return integer_constant(self, name, stored, meta)

    def finished(self) -> None:
        """Store the real constants of nodes between quantised values as integers."""
        sources = {node.outputs[0]: node for node in self.nodes if node.op_type == "DequantizeLinear"}
        quantized = {node.inputs[0] for node in self.nodes if node.op_type == "QuantizeLinear"}
        nodes, self.nodes = self.nodes, []
        for node in nodes:
            real = node.outputs[0] in quantized and node.op_type not in ("QuantizeLinear", "DequantizeLinear")
            self.nodes.append(self._in_integers(node, sources) if real else node)

    def _in_integers(self, node: OnnxNode, sources: Mapping[Tensor, OnnxNode]) -> OnnxNode:
        first = node.inputs[0]
        if node.op_type in _OPERANDS:
            inputs = [
                self._operand(each) if each is not None and _is_real(each) else each for each in node.inputs
            ]
            return replace(node, inputs=tuple(inputs))
        if node.op_type not in _CHANNEL_AXIS or first not in sources or len(node.inputs) < 2:
            return node
        weight = node.inputs[1]
        if first is None or weight is None or not _is_real(weight) or weight.array is None:
            return node
        scales = _symmetric_scales(weight.array, _CHANNEL_AXIS[node.op_type])
        inputs = [first, self._symmetric(weight, scales, _CHANNEL_AXIS[node.op_type], DType.INT8)]
        for bias in node.inputs[2:]:
            if bias is not None and _is_real(bias):
                size = np.shape(np.asarray(bias.array))
                sums = np.broadcast_to(_scale_of(sources[first]) * scales, size)
                inputs.append(self._symmetric(bias, sums, 0, DType.INT32))
            else:
                inputs.append(bias)
        return replace(node, inputs=tuple(inputs))

    def _symmetric(self, tensor: Tensor, scales: Array, axis: int | None, storage: DType) -> Tensor:
        array = tensor.array
        if array is None:
            raise CompileError(f"qnn: {tensor.name} has no elements")
        per_axis = axis is not None and scales.ndim == 1
        wide = scales.reshape([-1 if n == axis else 1 for n in range(array.ndim)]) if per_axis else scales
        low, high = number_range(storage)
        stored = np.clip(np.rint(array / wide), low + (storage is DType.INT8), high)
        return self._dequantized(
            tensor.name, stored.astype(storage.numpy), scales, axis if per_axis else None
        )

    def _operand(self, tensor: Tensor) -> Tensor:
        array = np.asarray(tensor.array)
        low, high = min(float(array.min()), 0.0), max(float(array.max()), 0.0)
        least, most = number_range(self._activation)
        scale = np.asarray(max(high - low, _LEAST) / (most - least))
        zero = int(np.rint(least - low / scale))
        stored = np.clip(np.rint(array / scale) + zero, least, most).astype(self._activation.numpy)
        return self._dequantized(tensor.name, stored, scale, None, zero)

    def _dequantized(
        self, name: str, stored: Array, scales: Array, axis: int | None, zero: int = 0
    ) -> Tensor:
        zeros = np.full(np.shape(scales), zero, stored.dtype)
        attributes: Attributes = {} if axis is None else {"axis": axis}
        return self.add(
            "DequantizeLinear",
            self.constant(f"{name}_integers", stored),
            self.array(np.asarray(scales, np.float32)),
            None if stored.dtype == np.int32 else self.array(zeros),
            dtype=DType.FLOAT32,
            **attributes,
        )

    def _stored_as(self, quant: Quant | None) -> Quant | None:
        """The same range of numbers in 16 bits, where activations have 16."""
        if quant is None or self._activation is not DType.UINT16 or quant.per_axis:
            return quant
        low, high = number_range(quant.storage)
        (scale,), (zero,) = quant.scale, quant.zero_point
        fine = scale * (high - low) / 65535
        return replace(
            quant, scale=(fine,), zero_point=(round((zero - low) * scale / fine),), storage=DType.UINT16
        )


def _is_real(tensor: Tensor) -> bool:
    return tensor.dtype is DType.FLOAT32 and tensor.array is not None and tensor.array.size > 0


def _symmetric_scales(array: Array, axis: int | None) -> Array:
    others = None if axis is None else tuple(n for n in range(array.ndim) if n != axis)
    largest: Array = np.abs(array.astype(np.float64)).max(axis=others)
    return np.maximum(largest, _LEAST) / 127


def _scale_of(source: OnnxNode) -> Array:
    scale = source.inputs[1]
    if scale is None or scale.array is None:
        raise CompileError("qnn: a quantised value has no constant scale")
    return scale.array.astype(np.float64)
