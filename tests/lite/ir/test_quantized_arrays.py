"""Arrays become integers and real numbers exactly as the kernels of the ops compute them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.graph import Quant, Rounding
from lite.ir.quantized_arrays import dequantized, quantized
from lite.ir.types import Array, DType
from lite.plugin.kernel import evaluate

SCALES = {"tensor": (0.0371,), "axis": (0.0371, 1.5, 0.002)}


def by_kernels(real: Array, quant: Quant) -> tuple[Array, Array]:
    """The integers and the real numbers by the host's kernels."""
    dtype = real.dtype
    if quant.rounding is Rounding.AFFINE:
        scale = np.array(quant.scale, dtype)
        zero = np.array(quant.zero_point).astype(quant.storage.numpy)
        inputs = {"Scale": [scale], "ZeroPoint": [zero]}
        attrs = {"axis": 1, "block_size": 0, "dtype": quant.storage.code}
        q = evaluate("affine_quantize", {"X": [real], **inputs}, attrs, {"Out": 1})["Out"][0].array
        y = evaluate("affine_dequantize", {"X": [q], **inputs}, {"axis": 1}, {"Out": 1})["Out"][0].array
        return q, y
    bits = int(str(quant.storage)[3:])
    scale = (np.array(quant.scale) * (2 ** (bits - 1) - 1)).astype(dtype)
    paddle = {"bit_length": bits, "quant_axis": quant.axis}
    paddle["round_type"] = int(quant.rounding is Rounding.ABS_MAX_AWAY)
    q = evaluate("quantize_linear", {"X": [real], "Scale": [scale]}, paddle, {"Y": 1})["Y"][0].array
    y = evaluate("dequantize_linear", {"X": [q], "Scale": [scale]}, paddle, {"Y": 1})["Y"][0].array
    return q, y


@pytest.mark.parametrize(
    ("storage", "rounding", "scales", "dtype"),
    [
        (storage, rounding, scales, dtype)
        for storage, rounding, scales, dtype in itertools.product(
            (DType.INT8, DType.UINT8, DType.INT16, DType.INT4),
            Rounding,
            SCALES,
            (np.float32, np.float16, np.float64),
        )
        # Paddle's integers have a sign, and their products with a scale overflow where 16 bits meet float16.
        if rounding is Rounding.AFFINE
        or (storage is not DType.UINT8 and (storage, dtype) != (DType.INT16, np.float16))
    ],
)
def test_the_same_as_the_kernels(storage: DType, rounding: Rounding, scales: str, dtype: type) -> None:
    random = np.random.default_rng(3)
    halves = (np.arange(-140, 140) + 0.5) * 0.0371
    drawn = np.concatenate([halves, 5 * random.standard_normal(320)])
    real: Array = drawn.reshape(-1, 3, 4).astype(dtype)
    steps = tuple(float(dtype(step)) for step in SCALES[scales])
    if rounding is not Rounding.AFFINE:
        most = 2 ** (int(str(storage)[3:]) - 1) - 1
        steps = tuple(float(dtype(step * most)) / most for step in steps)
    zeros = tuple(3 if rounding is Rounding.AFFINE else 0 for _ in steps)
    quant = Quant(steps, zeros, 1 if len(steps) > 1 else -1, storage, rounding)

    integers, numbers = by_kernels(real, quant)

    stored = quantized(real, quant)
    assert stored.dtype == storage.numpy
    np.testing.assert_array_equal(stored.astype(np.float64), integers.astype(np.float64))
    result = dequantized(stored, quant, DType.from_numpy(real.dtype))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, numbers)


def test_scales_of_another_size_are_refused() -> None:
    quant = Quant((1.0, 2.0), (0, 0), 1, DType.INT8)
    with pytest.raises(GraphError, match=r"2 scales along axis 1 do not fit the shape \(2, 3\)"):
        dequantized(np.zeros((2, 3), np.int8), quant, DType.FLOAT32)
