"""Real numbers to the integers that a `Quant` stores, and back, as the ops that it replaces compute."""

from __future__ import annotations

import numpy as np

from lite.errors import GraphError
from lite.ir.node import Quant, Rounding, Value
from lite.ir.types import Array, DType


def real_array(value: Value) -> Array | None:
    """The elements of a constant, dequantised if it stores integers; None for any other value."""
    if value.data is None or value.quant is None:
        return value.data
    return dequantized(value.data, value.quant, value.dtype or DType.FLOAT32)


def dequantized(stored: Array, quant: Quant, dtype: DType) -> Array:
    """The real numbers of stored integers, read-only, as the kernel of the op that `quant` replaced computes.

    Raises `GraphError` for a per-axis quantisation that does not fit the array.
    """
    if DType.from_numpy(stored.dtype) is dtype:
        return stored
    scales = scale_array(quant, dtype)
    if dtype.itemsize < 4 and quant.rounding is Rounding.AFFINE:
        scales = scales.astype(np.float32)
    numbers = stored.astype(scales.dtype)
    if not quant.is_symmetric:
        numbers -= _along_axis(np.array(quant.zero_point, scales.dtype), stored, quant)
    numbers = numbers * _along_axis(scales, stored, quant)
    if quant.rounding is not Rounding.AFFINE:
        numbers = numbers / scales.dtype.type(greatest(quant.storage))
    result: Array = numbers.astype(dtype.numpy, copy=False)
    result.flags.writeable = False
    return result


def quantized(real: Array, quant: Quant) -> Array:
    """The integers that stand for real numbers, in the storage type.

    Raises `GraphError` for a per-axis quantisation that does not fit the array.
    """
    dtype = DType.from_numpy(real.dtype)
    scales, wide = scale_array(quant, dtype), real
    if dtype.itemsize < 4 and quant.rounding is Rounding.AFFINE:
        scales, wide = scales.astype(np.float32), real.astype(np.float32)
    spread = _along_axis(scales, real, quant)
    if quant.rounding is Rounding.AFFINE:
        zeros = _along_axis(np.array(quant.zero_point, wide.dtype), real, quant)
        low, high = _range(quant.storage)
        affine: Array = np.clip(np.rint(wide / spread) + zeros, low, high).astype(quant.storage.numpy)
        return affine
    most = np.float32(greatest(quant.storage))
    if quant.rounding is Rounding.ABS_MAX:
        return np.clip(np.rint(real * (most / spread)), -most - 1, most).astype(quant.storage.numpy)
    scaled = np.clip(real, -spread, spread) * (most / spread)
    away = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)
    result: Array = away.astype(quant.storage.numpy)
    return result


def scale_array(quant: Quant, dtype: DType) -> Array:
    """The scales as the op reads them: of rank 1, or of rank 0 for the whole tensor.

    Paddle's scales are the greatest magnitudes.
    """
    steps = np.array(quant.scale, np.float64)
    scales = steps if quant.rounding is Rounding.AFFINE else steps * greatest(quant.storage)
    array: Array = scales.astype(dtype.numpy)
    return array if quant.per_axis else array.reshape(())


def greatest(storage: DType) -> int:
    """The integer that Paddle's scale stands for: 127 for int8."""
    most: int = 2 ** (bits(storage) - 1) - 1
    return most


def bits(storage: DType) -> int:
    """The number of bits of an integer type."""
    return int(storage.label.lstrip("uint"))


def _range(storage: DType) -> tuple[int, int]:
    count: int = 2 ** bits(storage)
    return (0, count - 1) if storage.label.startswith("u") else (-count // 2, count // 2 - 1)


def _along_axis(numbers: Array, stored: Array, quant: Quant) -> Array:
    """The numbers in a shape that broadcasts to the array."""
    if numbers.size == 1:
        return numbers.reshape((1,) * stored.ndim)
    shape = [1] * stored.ndim
    if not 0 <= quant.axis < stored.ndim or stored.shape[quant.axis] != numbers.size:
        raise GraphError(f"{numbers.size} scales along axis {quant.axis} do not fit the shape {stored.shape}")
    shape[quant.axis] = numbers.size
    return numbers.reshape(shape)
