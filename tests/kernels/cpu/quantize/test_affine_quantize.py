"""affine_quantize and affine_dequantize of the target cpu against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.cpu.bound import floats, run

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

CONSTANTS = ("Scale", "ZeroPoint")


@pytest.mark.parametrize("shape", [(1,), (3, 5, 7), (2, 64)])
@pytest.mark.parametrize("zero", [0, 128, 255])
def test_numbers_become_bytes_and_numbers_again(shape: tuple[int, ...], zero: int) -> None:
    x = 100 * np.asarray(floats(1, *shape))
    numbers: dict[str, Array] = {
        "Scale": np.array(0.7, np.float32),
        "ZeroPoint": np.array(zero, np.uint8),
    }
    [codes], is_compiled = run("affine_quantize", {"X": x, **numbers}, {"dtype": DType.UINT8.code}, CONSTANTS)
    assert is_compiled
    np.testing.assert_array_equal(
        codes, np.clip(np.rint(x / np.float32(0.7)) + zero, 0, 255).astype(np.uint8)
    )
    [back], is_compiled = run("affine_dequantize", {"X": codes, **numbers}, {}, CONSTANTS)
    assert is_compiled
    np.testing.assert_array_equal(back, (codes.astype(np.float32) - zero) * np.float32(0.7))


def test_halves_are_rounded_to_even_and_infinities_saturate() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, np.inf, -np.inf], np.float32)
    inputs = {"X": x, "Scale": np.ones(1, np.float32)}
    [codes], _ = run("affine_quantize", inputs, {"dtype": DType.UINT8.code}, ["Scale"])
    np.testing.assert_array_equal(codes, [0, 2, 2, 0, 255, 0])


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.int8, [0.5]), (np.uint8, [0.5, 1.0])],
    ids=["signed bytes", "a scale for each row"],
)
def test_other_forms_run_on_the_host(dtype: type, scale: list[float]) -> None:
    x, code = floats(2, 2, 5), DType.from_numpy(np.dtype(dtype)).code
    inputs = {"X": x, "Scale": np.array(scale, np.float32), "ZeroPoint": np.zeros(len(scale), dtype)}
    [codes], is_compiled = run("affine_quantize", inputs, {"dtype": code, "axis": 0}, CONSTANTS)
    low, high = (-128, 127) if dtype is np.int8 else (0, 255)
    expected = np.clip(np.rint(x / np.array(scale, np.float32)[:, None]), low, high)
    assert not is_compiled
    np.testing.assert_array_equal(codes, expected)
