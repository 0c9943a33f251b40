"""quantized_lookup of the target cpu against indexing."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.cpu.bound import bind, run

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_bytes_are_looked_up(count: int, dtype: type) -> None:
    random = np.random.default_rng(count)
    x: Array = random.integers(0, 256, count, np.uint8).view(dtype)
    table: Array = random.integers(0, 256, 256, np.uint8).view(dtype)
    [y], is_compiled = run("quantized_lookup", {"X": x, "Table": table}, {}, ["Table"])
    assert is_compiled
    np.testing.assert_array_equal(y, table[x.view(np.uint8)])


def test_a_table_of_real_numbers_is_read_on_the_host() -> None:
    x, table = np.arange(6, dtype=np.uint8).reshape(2, 3), np.arange(256, dtype=np.float32) / 2
    bound = bind("quantized_lookup", {"X": x, "Table": table}, {}, ["Table"])
    y = bound()
    assert not bound.is_compiled
    assert DType.from_numpy(y.dtype) is DType.FLOAT32
    np.testing.assert_array_equal(y, [[0, 0.5, 1], [1.5, 2, 2.5]])
