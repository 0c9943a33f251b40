"""quantized_group of the target cpu: every number, to the last rounding, is that of numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, floats

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def codes(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def results(
    inputs: Mapping[str, Array | list[Array]], attrs: Mapping[str, object], count: int
) -> list[Array]:
    bound = bind("quantized_group", inputs, attrs, outputs={"Out": count})
    assert bound.is_compiled
    found = list(bound())
    buffers = [np.full_like(each, 3) for each in found]
    bound(out=buffers)
    for each, buffer in zip(found, buffers, strict=True):
        np.testing.assert_array_equal(buffer, each)
    return found


@pytest.mark.parametrize("shape", [(2, 20, 70), (3, 1000), (4, 5, 6, 33)])
def test_a_sum_of_bytes(shape: tuple[int, ...]) -> None:
    p, q = codes(1, *shape), codes(2, *shape)
    attrs = {
        "program": "elementwise_add 0 1; relu 2",
        "results": [3],
        "in_scales": [0.1, 0.03],
        "in_zero_points": [128, 7],
        "out_scales": [0.07],
        "out_zero_points": [9],
    }
    [y] = results({"X": p, "Inputs": [q]}, attrs, 1)
    a = (p.astype(np.float32) - np.float32(128)) * np.float32(0.1)
    b = (q.astype(np.float32) - np.float32(7)) * np.float32(0.03)
    expected = np.rint(np.maximum(a + b, 0) / np.float32(0.07)) + 9
    np.testing.assert_array_equal(y, np.clip(expected, 0, 255).astype(np.uint8))


def test_smaller_operands_of_bytes_and_results_of_both_types() -> None:
    x, gate, bias = codes(1, 2, 9, 9, 40), codes(2, 2, 1, 1, 40), floats(3, 40)
    attrs = {
        "program": "elementwise_mul 0 1; elementwise_add 3 2",
        "results": [3, 4],
        "in_scales": [0.1, 0.004, 0.0],
        "in_zero_points": [128, 0, 0],
        "out_scales": [0.0, 0.05],
        "out_zero_points": [0, 128],
    }
    product, y = results({"X": x, "Inputs": [gate, bias]}, attrs, 2)
    a = (x.astype(np.float32) - np.float32(128)) * np.float32(0.1)
    b = gate.astype(np.float32) * np.float32(0.004)
    np.testing.assert_array_equal(product, a * b)
    expected = np.rint((a * b + bias) / np.float32(0.05)) + 128
    np.testing.assert_array_equal(y, np.clip(expected, 0, 255).astype(np.uint8))


def test_little_work_runs_one_function_after_the_other() -> None:
    p, q, x = codes(1, 2, 3), codes(2, 3), floats(3, 2, 3)
    attrs = {
        "program": "elementwise_add 0 1; elementwise_mul 3 2; relu 4",
        "results": [3, 5],
        "in_scales": [0.1, 0.03, 0.0],
        "in_zero_points": [128, 7, 0],
        "out_scales": [0.0, 0.1],
        "out_zero_points": [0, 128],
    }
    total, y = results({"X": p, "Inputs": [q, x]}, attrs, 2)
    a = (p.astype(np.float32) - np.float32(128)) * np.float32(0.1)
    b = (q.astype(np.float32) - np.float32(7)) * np.float32(0.03)
    np.testing.assert_array_equal(total, a + b)
    expected = np.rint(np.maximum((a + b) * x, 0) / np.float32(0.1)) + 128
    np.testing.assert_array_equal(y, np.clip(expected, 0, 255).astype(np.uint8))
