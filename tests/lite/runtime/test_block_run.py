"""The short way through a sub-block: equal to general runs, left where it does not apply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite.ir.types import NO_LOD, Array
from lite.runtime.block_run import BlockRun
from lite.runtime.direct_run import DirectRun
from tests.lite.runtime.run_text import runtime_of

pytest.importorskip("numba", reason="only compiled kernels launch")

BLOCK = """
graph main(%x: float32[?, 8], %y: float32[?, 8]) {
  %a = elementwise_mul(X=%x, Y=%y) {axis=-1} : float32[?, 8]
  %b = relu(X=%a) : float32[?, 8]
  %c = reshape2(X=%b) {shape=[-1]} : float32[?]
  return b=%b, c=%c
}
"""

IDENTITY = """
graph main(%x: float32[?, 8]) {
  return x=%x
}
"""


def floats(seed: int, rows: int) -> list[Array]:
    numbers = np.random.default_rng(seed)
    return [numbers.standard_normal((rows, 8)).astype(np.float32) for _ in range(2)]


def check(results: Sequence[Any], values: Sequence[Array]) -> None:
    expected = np.maximum(values[0] * values[1], 0)
    np.testing.assert_array_equal(results[0], expected)


def test_the_short_way_is_taken_from_the_third_run_on() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    for seed in range(5):
        values = floats(seed, 3)
        results, lods = block(values, [NO_LOD, NO_LOD])
        check(results, values)
        assert lods == [NO_LOD]
        assert (block._direct is not None) == (seed >= 1)
    assert isinstance(block._direct, DirectRun)


def test_other_shapes_take_the_general_way() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    for seed, rows in enumerate((3, 3, 3, 2, 3, 2, 2, 2, 4, 3)):
        values = floats(seed, rows)
        check(block(values, [NO_LOD, NO_LOD])[0], values)


def test_results_are_kept_while_they_are_used() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    kept = []
    for seed in range(6):
        values = floats(seed, 3)
        kept.append((values, block(values, [NO_LOD, NO_LOD])[0]))
    for values, results in kept:
        check(results, values)


def test_results_may_be_the_next_arguments() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    x, y = (np.abs(array) for array in floats(0, 3))
    expected = x
    for _ in range(6):
        (x,), _ = block([x, y], [NO_LOD, NO_LOD])
        expected = expected * y
    np.testing.assert_allclose(x, expected, rtol=1e-6)


def test_results_that_share_memory_take_the_general_way() -> None:
    block = BlockRun(runtime_of(BLOCK, target="cpu"))
    for seed in range(4):
        values = floats(seed, 3)
        (b, c), _ = block(values, [NO_LOD, NO_LOD])
        check([b], values)
        np.testing.assert_array_equal(c, b.reshape(-1))
    assert block._direct is None


def test_a_block_that_computes_nothing_takes_the_general_way() -> None:
    block = BlockRun(runtime_of(IDENTITY))
    x = floats(0, 3)[0]
    for _ in range(3):
        (y,), _ = block([x], [NO_LOD])
        np.testing.assert_array_equal(y, x)
        assert y is not x
    assert block._direct is None
