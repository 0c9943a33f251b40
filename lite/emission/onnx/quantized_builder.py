"""The builder of devices that take quantised values."""

from __future__ import annotations

from lite.emission.onnx.builder import Builder, Tensor
from lite.emission.onnx.quantize import integer_constant, round_tensor
from lite.ir.types import Array
from lite.ops.view import Meta


class QuantizedOnnxBuilder(Builder):
    """Puts QuantizeLinear and DequantizeLinear at quantised values."""

    def rounded(self, name: str, tensor: Tensor, meta: Meta) -> Tensor:
        """The tensor after QuantizeLinear and DequantizeLinear."""
        return round_tensor(self, tensor, meta)

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> Tensor:
        """A constant of integers after DequantizeLinear."""
        return integer_constant(self, name, stored, meta)
