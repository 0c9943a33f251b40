"""Reads the parameters of ops that quantise: their scales, zero points and types, as a `Quant`."""

from __future__ import annotations

import numpy as np

from lite.ir.graph import Node, Quant, Rounding, Value
from lite.ir.quantized_arrays import bits, scale_array
from lite.ir.types import Array, DType
from lite.passes.match import attributes
from lite.passes.quantize.constant_values import ConstantValues

QUANTIZE = frozenset({"affine_quantize", "quantize_linear"})
"""The ops from real numbers to integers."""
DEQUANTIZE = frozenset({"affine_dequantize", "dequantize_linear"})
"""The ops from integers to real numbers."""

_STORAGE = {4: DType.INT4, 8: DType.INT8, 16: DType.INT16}
"""The types that store Paddle's integers, by ``bit_length``."""

_LEAST_SCALE = 1e-30
"""Paddle does not divide by scales up to this one."""

_BITS = {DType.FLOAT16: 8, DType.FLOAT32: 16, DType.FLOAT64: 16}
"""The most bits of integers that survive the way to real numbers of a type and back."""


_LEAST = {DType.FLOAT16: 2.0**-14, DType.FLOAT32: 2.0**-126, DType.FLOAT64: 2.0**-1022}
"""The least normal number of each type."""
_GREATEST = {DType.FLOAT16: 65504.0, DType.FLOAT32: 2.0**127, DType.FLOAT64: 2.0**1023}
"""A number of each type near the greatest."""


def quant_of(node: Node, constants: ConstantValues) -> Quant | None:
    """The quantisation that a node writes or reads; None if it depends on the run or has no `Quant`.

    Blocks, types that are not integers, bfloat16, scales of another type than the real numbers, and scales
    near the least or the greatest number of their type have none.
    """
    attrs = attributes(node)
    scale = _array(node, "Scale", constants)
    real = node.input("X") if node.op in QUANTIZE else node.output()
    if scale is None or real.dtype is None or DType.from_numpy(scale.dtype) is not real.dtype:
        return None
    count = scale.size
    if node.op in ("quantize_linear", "dequantize_linear"):
        storage, axis = _STORAGE.get(attrs.integer("bit_length")), attrs.integer("quant_axis")
        rounding = Rounding.ABS_MAX if attrs.integer("round_type") == 0 else Rounding.ABS_MAX_AWAY
        if storage is None or (scale <= _LEAST_SCALE).any():
            return None
        steps = scale.reshape(-1).astype(np.float64) / (2 ** (bits(storage) - 1) - 1)
        zeros = np.zeros(count, np.int64)
    else:
        integers, axis = node.output() if node.op in QUANTIZE else node.input("X"), attrs.integer("axis")
        storage, rounding, steps = integers.dtype, Rounding.AFFINE, scale.reshape(-1).astype(np.float64)
        given = _array(node, "ZeroPoint", constants)
        if (given is None and "ZeroPoint" in node.inputs) or (attrs.integer("block_size") and count > 1):
            return None
        zeros = np.zeros(1, np.int64) if given is None else given.reshape(-1).astype(np.int64)
        zeros = np.repeat(zeros, count) if zeros.size == 1 else zeros
    if storage is None or not storage.label.startswith(("int", "uint")) or zeros.size != count:
        return None
    if count > 1 and real.shape is None:
        return None
    position = -1 if count == 1 or real.shape is None else axis % len(real.shape)
    quant = Quant(tuple(steps.tolist()), tuple(zeros.tolist()), position, storage, rounding)
    return quant if _is_exact(quant, scale, real.dtype) else None


def can_round(quant: Quant, dtype: DType) -> bool:
    """Whether a number that is rounded stays the same when it is rounded again."""
    return bits(quant.storage) <= _BITS.get(dtype, 0)


def _is_exact(quant: Quant, scale: Array, dtype: DType) -> bool:
    """Whether the scales can be restored, and no integer stands for a number outside of the type's range."""
    if dtype not in _BITS:
        return False
    steps = np.array(quant.scale)
    count = 2.0 ** bits(quant.storage)
    # Paddle multiplies the integers by the greatest magnitude before it divides.
    most = count if quant.rounding is Rounding.AFFINE else count**2
    in_range = (steps >= _LEAST[dtype]) & (steps * most <= _GREATEST[dtype])
    return bool(in_range.all()) and np.array_equal(scale_array(quant, dtype).reshape(-1), scale.reshape(-1))


def _array(node: Node, slot: str, constants: ConstantValues) -> Array | None:
    value: Value | None = node.optional_input(slot)
    return None if value is None else constants.array(value)
