"""Quantised values as QuantizeLinear and DequantizeLinear, between which ONNX Runtime computes in integers.

Paddle's rounding becomes ONNX's: a number next to a half may become the next integer, and the least integer
of `Rounding.ABS_MAX_AWAY` is one lower.  Activations of int8 become uint8, whose kernels are faster.  Real
numbers of 64 bits and integers of 4 bits, which these ops do not take here, are rounded by several ops, and
such constants are stored as real numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.quantized_arrays import dequantized
from lite.ir.types import Array, DType
from lite.ops.number_range import number_range
from lite.ops.view import Meta

T = TypeVar("T")
_STORAGES = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.UINT16})
_REALS = frozenset({DType.FLOAT32, DType.FLOAT16})


class NodeBuilder(Protocol[T]):
    """The methods of `lite.emission.onnx.builder.Builder` that are called here; its tensors are of type T."""

    def add(
        self,
        op_type: str,
        *inputs: T | None,
        dtype: DType | None = None,
        domain: str = "",
        **attributes: int,
    ) -> T:
        """Add a node."""

    def constant(self, name: str, array: Array) -> T:
        """Add a constant with a name."""

    def array(self, array: Array) -> T:
        """Add a constant."""

    def scalar(self, value: float, dtype: DType) -> T:
        """Add a constant of rank 0."""


def round_tensor(b: NodeBuilder[T], tensor: T, meta: Meta) -> T:
    """The tensor after QuantizeLinear and DequantizeLinear."""
    quant = _as_uint8(_quant(meta))
    if quant.storage not in _STORAGES or meta.dtype not in _REALS:
        return _rounded_by_arithmetic(b, tensor, quant, meta)
    scale, zero, axis = _parameters(b, quant, meta)
    integers = b.add("QuantizeLinear", tensor, scale, zero, dtype=quant.storage, **axis)
    return b.add("DequantizeLinear", integers, scale, zero, dtype=meta.dtype, **axis)


def integer_constant(b: NodeBuilder[T], name: str, stored: Array, meta: Meta) -> T:
    """A constant of integers after DequantizeLinear."""
    quant = _quant(meta)
    if quant.storage not in _STORAGES | {DType.INT32} or meta.dtype not in _REALS:
        return b.constant(name, dequantized(stored, quant, meta.dtype))
    scale, zero, axis = _parameters(b, quant, meta)
    zero_point = None if quant.storage is DType.INT32 and quant.is_symmetric else zero
    return b.add("DequantizeLinear", b.constant(name, stored), scale, zero_point, dtype=meta.dtype, **axis)


def _as_uint8(quant: Quant) -> Quant:
    """The same real numbers by integers of uint8 instead of int8.

    ONNX Runtime would convert int8 itself, and fails (1.32) where it has moved the QuantizeLinear before.
    """
    if quant.storage is not DType.INT8:
        return quant
    return replace(quant, storage=DType.UINT8, zero_point=tuple(zero + 128 for zero in quant.zero_point))


def _quant(meta: Meta) -> Quant:
    if meta.quant is None:
        raise CompileError(f"onnxruntime: {meta} is not quantised")
    return meta.quant


def _parameters(b: NodeBuilder[T], quant: Quant, meta: Meta) -> tuple[T, T, dict[str, Any]]:
    shape = (-1,) if quant.per_axis else ()
    scales = np.array(quant.scale).astype(meta.dtype.numpy).reshape(shape)
    zeros = np.array(quant.zero_point).astype(quant.storage.numpy).reshape(shape)
    return b.array(scales), b.array(zeros), {"axis": quant.axis} if quant.per_axis else {}


def _rounded_by_arithmetic(b: NodeBuilder[T], tensor: T, quant: Quant, meta: Meta) -> T:
    """Div, Round, Add, Clip, Sub, Mul."""
    shape = [-1 if axis == quant.axis else 1 for axis in range(meta.rank)] if quant.per_axis else []
    real = meta.dtype.numpy
    scales, zeros = (
        b.array(np.array(numbers).astype(real).reshape(shape)) for numbers in (quant.scale, quant.zero_point)
    )
    low, high = (b.scalar(limit, meta.dtype) for limit in number_range(quant.storage))
    integers = b.add("Add", b.add("Round", b.add("Div", tensor, scales)), zeros)
    return b.add("Mul", b.add("Sub", b.add("Clip", integers, low, high), zeros), scales)
