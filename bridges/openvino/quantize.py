"""Quantised values as OpenVINO's transformations for low precision expect them (opset 15).

An activation of 8 bits passes through FakeQuantize, and such a constant is followed by Convert, Subtract and
Multiply.  Other activations are rounded by arithmetic: for FakeQuantize of 65536 levels, OpenVINO 2026.4
computes convolutions wrongly.  Other constants are stored as real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Quant, Rounding
from lite.ir.quantized_arrays import bits, dequantized
from lite.ir.types import Array, DType
from lite.ops.view import Meta

BYTES = frozenset({DType.INT8, DType.UINT8})


def fake_quantize(op: Any, tensor: Any, meta: Meta) -> Any:
    """The tensor rounded to what the integers stand for."""
    quant = _quant(meta)
    low, high = _integers(quant)
    steps, zeros = np.array(quant.scale), np.array(quant.zero_point)
    if quant.storage not in BYTES:
        step, zero = (
            op.constant(_along_axis(numbers, quant, meta).astype(meta.dtype.numpy))
            for numbers in (steps, zeros)
        )
        codes = op.clamp(op.add(op.round(op.divide(tensor, step), "half_to_even"), zero), low, high)
        return op.multiply(op.subtract(codes, zero), step).output(0)
    limits = [
        op.constant(_along_axis((integer - zeros) * steps, quant, meta).astype(meta.dtype.numpy))
        for integer in (low, high)
    ]
    return op.fake_quantize(tensor, *limits, *limits, high - low + 1).output(0)


def dequantized_constant(op: Any, integers: Any, real_type: Any, meta: Meta) -> Any:
    """The real numbers of a constant of integers, in the form that the transformations recognise."""
    quant = _quant(meta)
    numbers = op.convert(integers, real_type)
    if not quant.is_symmetric:
        zeros = _along_axis(np.array(quant.zero_point), quant, meta).astype(meta.dtype.numpy)
        numbers = op.subtract(numbers, op.constant(zeros))
    scales = _along_axis(np.array(quant.scale), quant, meta).astype(meta.dtype.numpy)
    return op.multiply(numbers, op.constant(scales)).output(0)


def real_constant(stored: Array, meta: Meta) -> Array:
    """The real numbers of stored integers."""
    return dequantized(stored, _quant(meta), meta.dtype)


def _quant(meta: Meta) -> Quant:
    if meta.quant is None:
        raise CompileError(f"openvino: {meta} is not quantised")
    return meta.quant


def _integers(quant: Quant) -> tuple[int, int]:
    """The least and the greatest integer."""
    count = 2 ** bits(quant.storage)
    if quant.storage.label.startswith("u"):
        return 0, count - 1
    low = -count // 2 + (quant.rounding is Rounding.ABS_MAX_AWAY)
    return low, count // 2 - 1


def _along_axis(numbers: Array, quant: Quant, meta: Meta) -> Array:
    if not quant.per_axis:
        return numbers.reshape(())
    shape: Sequence[int] = [-1 if axis == quant.axis else 1 for axis in range(meta.rank)]
    return numbers.reshape(shape)
