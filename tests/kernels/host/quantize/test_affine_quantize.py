"""Affine quantisation, one element at a time from the definition."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, filled, same

X = float32([[-300.0, -2.5, -0.25, 0.5], [0.75, 2.5, 300.0, 1.5]])


LIMITS = {
    DType.INT8: (-128, 127),
    DType.UINT8: (0, 255),
    DType.INT16: (-32768, 32767),
    DType.INT4: (-8, 7),
    DType.UINT4: (0, 15),
    DType.INT2: (-2, 1),
    DType.UINT2: (0, 3),
}


def test_a_block_beyond_the_axis_is_one_block_and_takes_no_memory() -> None:
    x = np.array([[1, 2], [3, 4]], np.int8)
    attrs = {"axis": 0, "block_size": 2**31 - 1}
    (got,) = checked("affine_dequantize", {"X": x, "Scale": float32([[2.0, 3.0]])}, attrs)
    np.testing.assert_array_equal(got, float32([[2, 6], [6, 12]]))


@pytest.mark.parametrize("dtype", LIMITS, ids=str)
@pytest.mark.parametrize("zero", [None, 1])
def test_quantize_rounds_and_saturates(dtype: DType, zero: int | None) -> None:
    low, high = LIMITS[dtype]

    def element(*at: int) -> int:
        return min(max(round(float(X[at]) / 0.5) + (zero or 0), low), high)

    inputs = {"X": X, "Scale": float32(0.5)}
    if zero is not None:
        inputs["ZeroPoint"] = np.array(zero, dtype.numpy)
    (got,) = checked("affine_quantize", inputs, {"dtype": dtype.code})

    same(got, filled(X.shape, dtype.numpy, element))
    (back,) = checked("affine_dequantize", {**inputs, "X": got})
    same(back, filled(X.shape, np.float32, lambda *at: (element(*at) - (zero or 0)) * 0.5))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis_there_and_back(axis: int) -> None:
    size = X.shape[axis]
    scale, zero = np.arange(1, size + 1, dtype=np.float32), np.arange(size, dtype=np.int8)
    inputs = {"Scale": scale, "ZeroPoint": zero}

    (small,) = checked("affine_quantize", {"X": X, **inputs}, {"axis": axis, "dtype": DType.INT8.code})
    (back,) = checked("affine_dequantize", {"X": small, **inputs}, {"axis": axis})

    def quantized(*at: int) -> int:
        return min(max(round(float(X[at] / scale[at[axis]])) + int(zero[at[axis]]), -128), 127)

    same(small, filled(X.shape, np.int8, quantized))
    same(back, filled(X.shape, np.float32, lambda *at: (quantized(*at) - zero[at[axis]]) * scale[at[axis]]))


def test_each_block_has_its_scale() -> None:
    """The last block is not full."""
    x = np.arange(10, dtype=np.uint8).reshape(2, 5)
    scale = float32([[1.0, 2.0], [0.5, 4.0]])

    (got,) = checked("affine_dequantize", {"X": x, "Scale": scale}, {"axis": 1, "block_size": 3})

    same(got, filled((2, 5), np.float32, lambda row, column: x[row, column] * scale[row, column // 3]))


@pytest.mark.parametrize(
    ("dtype", "greatest"),
    [
        (DType.FLOAT8_E4M3FN, 448),
        (DType.FLOAT8_E5M2, 57344),
        (DType.FLOAT8_E4M3FNUZ, 240),
        (DType.FLOAT8_E5M2FNUZ, 57344),
        (DType.FLOAT4_E2M1FN, 6),
    ],
    ids=lambda value: str(value) if isinstance(value, DType) else "",
)
def test_floating_point_types_saturate(dtype: DType, greatest: float) -> None:
    inputs = {"X": float32([1.0, -2e6]), "Scale": float32(2.0)}

    (got,) = checked("affine_quantize", inputs, {"dtype": dtype.code})

    same(got, float32([0.5, -greatest]).astype(dtype.numpy))


def test_a_zero_point_of_another_shape_is_refused() -> None:
    inputs = {"X": X, "Scale": float32([1.0, 1.0]), "ZeroPoint": np.zeros((2, 2), np.int8)}

    with pytest.raises(GraphError, match="affine_quantize: slot ZeroPoint: expected the shape of Scale"):
        checked("affine_quantize", inputs, {"axis": 0, "dtype": DType.INT8.code})


@pytest.mark.parametrize("x", [X, np.abs(X), np.zeros((2, 3), np.float32), np.zeros((0, 3), np.float32)])
def test_dynamic_quantize_covers_the_range(x: np.ndarray) -> None:
    outputs = {"Out": 1, "Scale": 1, "ZeroPoint": 1}
    low, high = min(0.0, *x.reshape(-1).tolist(), 0.0), max(0.0, *x.reshape(-1).tolist(), 0.0)
    scale = np.float32((high - low) / 255)
    zero = round(-low / float(scale)) if scale else 0

    out, got_scale, got_zero = checked("dynamic_quantize", {"X": x}, None, outputs)

    def element(*at: int) -> int:
        return min(max(round(float(x[at] / (scale or 1))) + zero, 0), 255)

    same(out, filled(x.shape, np.uint8, element))
    same(got_zero, np.array(zero, np.uint8))
    np.testing.assert_allclose(got_scale, scale, rtol=1e-6)
