"""calib of the target cpu against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import DType
from tests.kernels.cpu.bound import run

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def attrs(source: Any, goal: Any, **others: object) -> dict[str, object]:
    codes = (DType.from_numpy(np.dtype(dtype)).code for dtype in (source, goal))
    return {**dict(zip(("in_dtype", "out_dtype"), codes, strict=True)), **others}


@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize(("source", "goal"), [("float32", "float16"), ("float16", "float32")])
def test_a_cast_is_compiled(source: str, goal: str, size: int) -> None:
    from lite.kernels.cpu.tile_sizes import HAS_HALVES

    x = np.linspace(-70000, 70000, size).astype("float32")
    with np.errstate(over="ignore"):
        x = x.astype(source)
        [y], is_compiled = run("calib", {"X": x}, attrs(source, goal))
        assert is_compiled or not HAS_HALVES
        np.testing.assert_array_equal(y, x.astype(goal))


def test_a_quantisation_runs_on_the_host() -> None:
    x = np.array([0.26, -9.0, 0.125], np.float32)
    [y], is_compiled = run("calib", {"X": x}, attrs("float32", "int8", scale=[0.01], zero_point=[0]))
    assert not is_compiled
    np.testing.assert_array_equal(y, np.array([26, -128, 12], np.int8))
