"""Casts of many elements against numpy, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.cpu.bound import bind, run, run_compiled

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def needs_halves() -> None:
    from lite.kernels.cpu.tile_sizes import HAS_HALVES

    if not HAS_HALVES:
        pytest.skip("the processor does not convert float16")


def code_of(dtype: Any) -> dict[str, int]:
    return {"out_dtype": DType.from_numpy(np.dtype(dtype)).code}


def compiled(x: Array, goal: Any) -> Array:
    (result,) = run_compiled("cast", {"X": x}, code_of(goal))
    return result


def assert_same_bits(result: Array, expected: Array) -> None:
    """Equal but for the payload of NaN."""
    kind = f"u{expected.itemsize}"
    numbers = ~np.isnan(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(result), ~numbers)
    np.testing.assert_array_equal(result.view(kind)[numbers], expected.view(kind)[numbers])


def all_halves() -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def test_all_halves_become_float32() -> None:
    needs_halves()
    assert_same_bits(compiled(all_halves(), np.float32), all_halves().astype(np.float32))


def test_float32_becomes_the_nearest_half() -> None:
    needs_halves()
    finite = np.sort(all_halves()[np.isfinite(all_halves())].astype(np.float32))
    middle = (finite[1:] + finite[:-1]) / 2
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 18, np.uint32)
    x = np.concatenate(
        [
            finite,
            middle,
            np.nextafter(middle, np.float32(np.inf)),
            np.nextafter(middle, np.float32(-np.inf)),
            np.linspace(65504, 65536, 257, dtype=np.float32),
            np.array(
                [65519.996, 65520, 1e30, np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, 2.0**-25], np.float32
            ),
            bits.view(np.float32),
        ]
    )
    with np.errstate(over="ignore"):
        assert_same_bits(compiled(x, np.float16), x.astype(np.float16))


@pytest.mark.parametrize("shape", [(), (0,), (3,), (7, 1, 5), (300,), (2, 1031)])
@pytest.mark.parametrize(("source", "goal"), [(np.float16, np.float32), (np.float32, np.float16)])
def test_shapes_of_halves(shape: tuple[int, ...], source: Any, goal: Any) -> None:
    needs_halves()
    x = np.asarray(100 * np.random.default_rng(1).standard_normal(shape), source)
    np.testing.assert_array_equal(compiled(x, goal), x.astype(goal))


@pytest.mark.parametrize(
    ("source", "goal"),
    [
        (np.bool_, np.float32),
        (np.float32, np.bool_),
        (np.int32, np.float32),
        (np.uint8, np.float32),
    ],
)
@pytest.mark.parametrize("count", [257, 5003])
def test_other_types(source: Any, goal: Any, count: int) -> None:
    bits = np.random.default_rng(2).integers(0, 1 << 32, count, np.uint32)
    bits[::3] = 0
    x = bits.view(np.float32) if source is np.float32 else bits.astype(source)
    if source is np.float32:
        x[1:4] = [-0.0, np.nan, 1e-45]
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(compiled(x, goal), x.astype(goal))


@pytest.mark.parametrize(
    ("source", "goal"),
    [
        (np.float16, np.int64),
        (np.int64, np.float16),
        (np.float16, np.float64),
        (np.float64, np.float16),
        (np.float16, np.bool_),
        (np.float32, np.int32),
    ],
)
def test_other_pairs_of_types_are_left_to_the_host(source: Any, goal: Any) -> None:
    x = np.asarray(np.random.default_rng(3).standard_normal(2000) * 1000, source)
    [result], is_compiled = run("cast", {"X": x}, code_of(goal))
    assert not is_compiled
    np.testing.assert_array_equal(result, x.astype(goal))


def test_halves_are_left_to_the_host_without_an_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    from lite.kernels.cpu import tile_sizes

    monkeypatch.setattr(tile_sizes, "HAS_HALVES", False)
    assert not bind("cast", {"X": all_halves()}, code_of(np.float32)).is_compiled
