"""cast between the element types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        (np.float32, DType.INT32, [-1, 0, 0, 2]),
        (np.float32, DType.INT64, [-1, 0, 0, 2]),
        (np.float32, DType.BOOL, [True, True, False, True]),
        (np.float32, DType.FLOAT16, [-1.75, -0.5, 0, 2.5]),
        (np.float32, DType.BFLOAT16, [-1.75, -0.5, 0, 2.5]),
        (np.float32, DType.FLOAT32, [-1.75, -0.5, 0, 2.5]),
        (ml_dtypes.bfloat16, DType.FLOAT32, [-1.75, -0.5, 0, 2.5]),
        (np.float64, DType.FLOAT32, [-1.75, -0.5, 0, 2.5]),
        (np.int32, DType.FLOAT32, [-1, 0, 0, 2]),
        (np.bool_, DType.INT64, [1, 1, 0, 1]),
    ],
    ids=lambda v: str(v) if isinstance(v, DType) else None,
)
def test_cast_agrees_with_numpy(source: type[np.generic], target: DType, wanted: list[float]) -> None:
    x = np.array([-1.75, -0.5, 0, 2.5]).astype(source).reshape(2, 2)

    (got,) = checked("cast", {"X": x}, {"in_dtype": -1, "out_dtype": target.code})

    np.testing.assert_array_equal(got, np.array(wanted, target.numpy).reshape(2, 2))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (DType.INT4, [-8, -1, 0, 7]),
        (DType.UINT4, [0, 1, 8, 15]),
        (DType.INT2, [-2, -1, 0, 1]),
        (DType.UINT2, [0, 1, 2, 3]),
        (DType.FLOAT4_E2M1FN, [-6, -0.5, 1.5, 4]),
        (DType.FLOAT8_E4M3FN, [-448, 0.015625, 1.125, 240]),
        (DType.FLOAT8_E5M2, [-57344, 0.25, 1.25, np.inf]),
        (DType.FLOAT8_E4M3FNUZ, [-240, 0.0078125, 1.125, 0]),
        (DType.FLOAT8_E5M2FNUZ, [-57344, 0.25, 1.25, 0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("wide", [DType.FLOAT32, DType.FLOAT16])
def test_types_of_8_bits_and_fewer_are_rounded(kind: DType, values: list[float], wide: DType) -> None:
    x = np.array(values, wide.numpy)

    (small,) = checked("cast", {"X": x}, {"out_dtype": kind.code})
    (back,) = checked("cast", {"X": small}, {"out_dtype": wide.code})

    assert small.dtype == kind.numpy
    np.testing.assert_array_equal(back, x)


def test_powers_of_two_are_exact() -> None:
    x = np.array([0, 127, 128], np.uint8).view(DType.FLOAT8_E8M0FNU.numpy)

    (found,) = checked("cast", {"X": x}, {"out_dtype": DType.FLOAT64.code})

    np.testing.assert_array_equal(found, [2.0**-127, 1, 2])


@pytest.mark.parametrize("shape", [(), (0,)])
def test_empty_tensors_and_scalars_keep_their_shape(shape: tuple[int, ...]) -> None:
    (got,) = checked("cast", {"X": np.full(shape, 2.5, np.float32)}, {"out_dtype": DType.INT32.code})

    np.testing.assert_array_equal(got, np.full(shape, 2, np.int32))


def test_numbers_beyond_an_integer_type_give_no_warning() -> None:
    (got,) = checked("cast", {"X": float32([np.nan, np.inf, 1])}, {"out_dtype": DType.INT32.code})

    assert got[2] == 1


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        (np.array([True, False]), ["1", "0"]),
        (np.array([4, -3]), ["4", "-3"]),
        (np.array([1.5, 0.1, 1e10, 1e-7, 1 / 3], np.float32), ["1.5", "0.1", "1e+10", "1e-07", "0.33333334"]),
        (np.array([np.nan, np.inf, -np.inf]), ["NaN", "INF", "-INF"]),
    ],
)
def test_numbers_become_strings_as_onnxruntime_writes_them(numbers: Array, wanted: list[str]) -> None:
    (found,) = checked("cast", {"X": numbers}, {"in_dtype": -1, "out_dtype": DType.STRING.code})

    assert found.tolist() == wanted
