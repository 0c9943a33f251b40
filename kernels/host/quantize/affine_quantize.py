"""affine_quantize, affine_dequantize and dynamic_quantize by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.compute_dtype import widened
from lite.ops.number_range import GREATEST, number_range
from lite.plugin.kernel import Array, kernel, write, write_all


@kernel("affine_quantize")
def affine_quantize(
    X: Array,
    Scale: Array,
    ZeroPoint: Array | None,
    *,
    axis: int,
    block_size: int,
    dtype: int,
    out: Array | None = None,
) -> Array:
    """ONNX QuantizeLinear: round(X / Scale) + ZeroPoint, halves to even, saturated to `dtype`."""
    target = DType.from_code(dtype)
    quotient = np.asarray(widened(X) / widened(spread(Scale, X, axis, block_size)))
    if target not in GREATEST:
        np.rint(quotient, out=quotient)
    if ZeroPoint is not None:
        quotient = quotient + spread(ZeroPoint, X, axis, block_size).astype(quotient.dtype)
    low, high = number_range(target)
    return write(out, np.clip(quotient, low, high).astype(target.numpy))


@kernel("affine_dequantize")
def affine_dequantize(
    X: Array,
    Scale: Array,
    ZeroPoint: Array | None,
    *,
    axis: int,
    block_size: int,
    dtype: int,
    out: Array | None = None,
) -> Array:
    """ONNX DequantizeLinear: (X - ZeroPoint) · Scale."""
    scale = widened(spread(Scale, X, axis, block_size))
    numbers = X.astype(scale.dtype)
    if ZeroPoint is not None:
        numbers -= spread(ZeroPoint, X, axis, block_size).astype(scale.dtype)
    target = Scale.dtype if dtype < 0 else DType.from_code(dtype).numpy
    return write(out, (numbers * scale).astype(target))


@kernel("dynamic_quantize")
def dynamic_quantize(X: Array, *, out: tuple[Array, ...] | None = None) -> tuple[Array, ...]:
    """ONNX DynamicQuantizeLinear: X as uint8, with the scale and zero point for its range and 0."""
    high = np.float32(X.max(initial=0))
    low = np.float32(X.min(initial=0))
    scale = np.float32((high - low) / np.float32(255))
    divisor = scale or np.float32(1)
    zero = np.clip(np.rint(-low / divisor), 0, 255)
    quantized = np.clip(np.rint(X / divisor) + zero, 0, 255)
    return write_all(out, quantized.astype(np.uint8), np.array(scale), np.array(zero, np.uint8))


def as_bytes(y: Array, scale: float, zero_point: int) -> Array:
    """``round(y / scale) + zero_point`` of float32 numbers, halves to even, saturated to uint8."""
    codes = np.rint(y * (np.float32(1) / np.float32(scale))) + np.float32(zero_point)
    return np.clip(codes, 0, 255).astype(np.uint8)


def spread(numbers: Array, x: Array, axis: int, block_size: int = 0) -> Array:
    """One number, one per index of an axis, or one per block there, in a shape that broadcasts to `x`."""
    if numbers.size == 1:
        return numbers.reshape((1,) * x.ndim)
    if block_size:
        size = x.shape[axis]
        # A block may be declared far longer than the axis.
        return numbers.repeat(min(block_size, size), axis).take(np.arange(size), axis)
    shape = [1] * x.ndim
    shape[axis] = numbers.size
    return numbers.reshape(shape)
