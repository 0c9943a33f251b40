"""eye_like."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import DType
from tests.kernels.host.checked import checked, filled, same


@pytest.mark.parametrize("diagonal", [-5, -1, 0, 2])
@pytest.mark.parametrize("dtype", [None, DType.BOOL, DType.FLOAT64])
def test_a_diagonal_of_ones(dtype: DType | None, diagonal: int) -> None:
    x = np.zeros((3, 4), np.int32)
    code = -1 if dtype is None else dtype.code

    (got,) = checked("eye_like", {"X": x}, {"diagonal": diagonal, "dtype": code})

    kind = np.dtype(np.int32) if dtype is None else dtype.numpy
    same(got, filled((3, 4), kind, lambda row, column: column - row == diagonal))
