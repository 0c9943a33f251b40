"""integer_matmul of the target cpu against products in int64."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import run

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

BYTES = (np.uint8, np.int8)


def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: type[np.generic]) -> Array:
    array: Array = rng.integers(0, 256, shape, np.uint8).view(dtype)
    return array


def product(x: Array, y: Array, rows: Array | None, columns: Array | None) -> Array:
    first, second = x.astype(np.int64), y.astype(np.int64)
    if rows is not None:
        first = first - (rows[:, np.newaxis] if rows.ndim == 1 and rows.size > 1 else rows).astype(np.int64)
    if columns is not None:
        second = second - columns.astype(np.int64)
    result: Array = (first @ second).astype(np.int32)
    return result


@pytest.mark.parametrize("seed", range(60))
def test_products_of_random_shapes_and_zero_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth, rows, columns = (int(rng.integers(1, most)) for most in (70, 40, 100))
    lead = tuple(map(int, rng.integers(1, 4, rng.integers(0, 3))))
    part = lead[rng.integers(0, len(lead) + 1) :]
    leads = (lead, part) if rng.random() < 0.7 else (part, lead)
    kinds = [BYTES[n] for n in rng.integers(0, 2, 2)]
    x = draw(rng, (*leads[0], rows, depth), kinds[0])
    y = draw(rng, (*leads[1], depth, columns), kinds[1])
    forms = (None, (), (rows,), (*leads[0], rows, 1)), (None, (), (columns,), (*leads[1], 1, columns))
    zeros = [
        None if shape is None else draw(rng, shape, kind)
        for shape, kind in zip((form[rng.integers(0, 4)] for form in forms), kinds, strict=True)
    ]
    inputs = {"X": x, "Y": y} | {
        slot: array
        for slot, array in zip(("XZeroPoint", "YZeroPoint"), zeros, strict=True)
        if array is not None
    }
    constants = [slot for slot in inputs if rng.random() < 0.4]
    [out], is_compiled = run("integer_matmul", inputs, {}, constants)
    assert is_compiled
    np.testing.assert_array_equal(out, product(x, y, *zeros))


@pytest.mark.parametrize("constants", [(), ("Scale",), ("Scale", "Bias")])
@pytest.mark.parametrize("size", [1, 21])
def test_scaled_products(size: int, constants: tuple[str, ...]) -> None:
    """Scales are computed in the run where the first operand is quantised there."""
    rng = np.random.default_rng(1)
    x, y = draw(rng, (3, 10), np.uint8), draw(rng, (10, 21), np.int8)
    scale, bias = (rng.random(count).astype(np.float32) for count in (size, 21))
    inputs = {"X": x, "Y": y, "Scale": scale, "Bias": bias}
    [out], is_compiled = run("integer_matmul", inputs, {}, constants)
    assert is_compiled
    expected = product(x, y, None, None) * scale.astype(np.float64) + bias
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@pytest.mark.parametrize(("x", "y"), [((5,), (5, 3)), ((2, 1, 4, 5), (1, 3, 5, 6)), ((0, 5), (5, 3))])
def test_other_forms_run_on_the_host(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    first, second = draw(rng, x, np.uint8), draw(rng, y, np.int8)
    [out], is_compiled = run("integer_matmul", {"X": first, "Y": second}, {})
    assert not is_compiled
    np.testing.assert_array_equal(out, first.astype(np.int64) @ second.astype(np.int64))
