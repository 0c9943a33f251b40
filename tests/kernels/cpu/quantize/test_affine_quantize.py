"""affine_quantize and affine_dequantize of the target cpu against their definition."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize("zero", [-128, -3, 127, None])
def test_signed_bytes(zero: int | None, count: int) -> None:
    special = np.array([0.5, 1.5, -0.5, 1e9, -1e9, np.inf, -np.inf, np.nan, -0.0], np.float32)
    x = np.concatenate([special, 60 * floats(3, count)])
    numbers: dict[str, Array] = {"Scale": np.ones((), np.float32)}
    if zero is not None:
        numbers["ZeroPoint"] = np.array(zero, np.int8)
    [codes], is_compiled = run("affine_quantize", {"X": x, **numbers}, {"dtype": DType.INT8.code}, CONSTANTS)
    assert is_compiled
    expected = np.nan_to_num(np.clip(np.rint(x) + (zero or 0), -128, 127)).astype(np.int8)
    np.testing.assert_array_equal(codes, expected)
    [back], is_compiled = run("affine_dequantize", {"X": codes, **numbers}, {}, CONSTANTS)
    assert is_compiled
    np.testing.assert_array_equal(back, codes.astype(np.float32) - (zero or 0))


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize(
    ("dtype", "zero"), [(np.uint16, 0), (np.uint16, 33000), (np.int16, -32768), (np.int16, -3), (np.int16, 0)]
)
def test_integers_of_16_bits(dtype: type[np.signedinteger[Any]], zero: int, count: int) -> None:
    special = np.array([0.5, 1.5, -0.5, 1e9, -1e9, np.inf, -np.inf, np.nan, -0.0, 40000.5], np.float32)
    x = np.concatenate([special, 20000 * floats(3, count)])
    numbers: dict[str, Array] = {"Scale": np.ones((), np.float32), "ZeroPoint": np.array(zero, dtype)}
    attrs = {"dtype": DType.from_numpy(np.dtype(dtype)).code}
    [codes], is_compiled = run("affine_quantize", {"X": x, **numbers}, attrs, CONSTANTS)
    assert is_compiled
    limits = np.iinfo(dtype)
    expected = np.clip(np.rint(np.where(np.isnan(x), -zero, x)) + np.float32(zero), limits.min, limits.max)
    np.testing.assert_array_equal(codes, expected.astype(dtype))
    [back], is_compiled = run("affine_dequantize", {"X": codes, **numbers}, {}, CONSTANTS)
    assert is_compiled
    np.testing.assert_array_equal(back, codes.astype(np.float32) - np.float32(zero))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("shape", "axis"), [((3, 5), 0), ((2, 3, 7, 11), 1), ((2, 2, 3, 2), -2), ((0, 3, 4), 1)]
)
@pytest.mark.parametrize("has_zeros", [True, False])
def test_a_scale_for_each_index_of_an_axis(
    shape: tuple[int, ...], axis: int, dtype: type, has_zeros: bool
) -> None:
    x, info = np.asarray(40 * floats(4, *shape)), np.iinfo(dtype)
    scale = np.array([0.25, 0.7, 1.3], np.float32)
    zero: Array = np.array([info.min, 5, info.max], dtype) if has_zeros else np.zeros(3, dtype)
    inputs = {"X": x, "Scale": scale, **({"ZeroPoint": zero} if has_zeros else {})}
    attrs = {"dtype": DType.from_numpy(np.dtype(dtype)).code, "axis": axis}
    [codes], is_compiled = run("affine_quantize", inputs, attrs, CONSTANTS)
    assert is_compiled
    broad = [3 if n == axis % x.ndim else 1 for n in range(x.ndim)]
    sums = np.rint(x / scale.reshape(broad)) + zero.reshape(broad)
    np.testing.assert_array_equal(codes, np.clip(sums, info.min, info.max).astype(dtype))


@pytest.mark.parametrize(
    ("dtype", "attrs", "constants"),
    [
        (np.uint8, {"axis": 1}, CONSTANTS),
        (np.uint8, {"axis": 0}, ()),
        (np.int16, {"axis": 0}, CONSTANTS),
        (np.uint8, {"axis": 0, "block_size": 1}, CONSTANTS),
    ],
    ids=["the last axis", "computed scales", "words", "blocks"],
)
def test_other_forms_run_on_the_host(dtype: type, attrs: dict[str, int], constants: tuple[str, ...]) -> None:
    x, code = floats(2, 2, 2), DType.from_numpy(np.dtype(dtype)).code
    scale = np.array([0.5, 1.0], np.float32)
    if "block_size" in attrs:
        scale = np.array([[0.5, 0.5], [1.0, 1.0]], np.float32)
    inputs = {"X": x, "Scale": scale, "ZeroPoint": np.zeros(scale.shape, dtype)}
    [codes], is_compiled = run("affine_quantize", inputs, {"dtype": code, **attrs}, constants)
    spread = scale if scale.ndim > 1 or attrs["axis"] else scale[:, None]
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    assert not is_compiled
    np.testing.assert_array_equal(codes, np.clip(np.rint(x / spread), low, high))


def test_reals_of_a_scale_for_each_row_run_on_the_host() -> None:
    codes, scale = np.arange(6, dtype=np.int8).reshape(2, 3), np.array([0.5, 2.0], np.float32)
    [reals], is_compiled = run("affine_dequantize", {"X": codes, "Scale": scale}, {"axis": 0}, CONSTANTS)
    assert not is_compiled
    np.testing.assert_array_equal(reals, codes * scale[:, None])
