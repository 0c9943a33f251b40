"""cast between the element types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lite.ir.types import DType
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
def test_cast(source: type[np.generic], target: DType, wanted: list[float]) -> None:
    x = np.array([-1.75, -0.5, 0, 2.5]).astype(source).reshape(2, 2)

    (got,) = checked("cast", {"X": x}, {"in_dtype": -1, "out_dtype": target.code})

    np.testing.assert_array_equal(got, np.array(wanted, target.numpy).reshape(2, 2))


@pytest.mark.parametrize("shape", [(), (0,)])
def test_shapes_without_elements_or_axes(shape: tuple[int, ...]) -> None:
    (got,) = checked("cast", {"X": np.full(shape, 2.5, np.float32)}, {"out_dtype": DType.INT32.code})

    np.testing.assert_array_equal(got, np.full(shape, 2, np.int32))


def test_what_no_integer_holds_gives_no_warning() -> None:
    (got,) = checked("cast", {"X": float32([np.nan, np.inf, 1])}, {"out_dtype": DType.INT32.code})

    assert got[2] == 1
