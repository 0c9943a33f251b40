"""The short way through a sub-block: equal to general runs, left where it does not apply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD, Array
from lite.runtime import Runtime
from lite.runtime.block_run import MAX_WAYS, BlockRun
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

CHOICE = """
graph main(%p: bool[1], %row: float32[1, 8], %found: float32[?, 8]) {
  %not = logical_not(X=%p) : bool[1]
  %sum = elementwise_add(X=%row, Y=%row) {axis=-1} : float32[1, 8]
  %new = conditional_block(Cond=%p, Input=[%row, %found]) {carried=0, is_scalar_condition=true} : float32[?,8]
    graph block1(%row: float32[1, 8], %found: float32[?, 8]) {
      %new = concat(X=[%found, %row]) {axis=0} : float32[?, 8]
      return %new
    }
  %same = conditional_block(Cond=%not, Input=%found) {carried=0, is_scalar_condition=true} : float32[?, 8]
    graph block2(%found: float32[?, 8]) {
      return %found
    }
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %next = select_input(X=[%same, %new], Mask=%mask) : float32[?, 8]
  return sum=%sum, next=%next
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
        assert is_short(block) == [seed >= 1]


def is_short(block: BlockRun) -> list[bool]:
    """For each way that is kept, whether it is the short one."""
    return [isinstance(way, DirectRun) for way in block._ways.values()]


def test_each_shape_has_its_way() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    for seed, rows in enumerate((3, 3, 3, 2, 3, 2, 2, 2, 4, 3)):
        values = floats(seed, rows)
        check(block(values, [NO_LOD, NO_LOD])[0], values)
    assert is_short(block) == [True, True, False]


def test_few_ways_are_kept() -> None:
    block = BlockRun(runtime_of(BLOCK.replace("return b=%b, c=%c", "return b=%b"), target="cpu"))
    for seed, rows in enumerate(range(1, 3 * MAX_WAYS)):
        for _ in range(2):
            values = floats(seed, rows)
            check(block(values, [NO_LOD, NO_LOD])[0], values)
            assert len(block._ways) <= MAX_WAYS


def test_a_value_that_grows_by_choice() -> None:
    block = BlockRun(Runtime(runtime_of(CHOICE, target="cpu").state, by_value=False, is_nested=True))
    rows = np.random.default_rng(0).standard_normal((6, 1, 8)).astype(np.float32)
    kept = []
    for run in range(4):
        found = np.empty((0, 8), np.float32)
        expected = found
        for number, row in enumerate(rows):
            is_longer = number % (run + 1) == 0
            (double, found), lods = block([np.array([is_longer]), row, found], [NO_LOD] * 3)
            expected = np.concatenate([expected, row]) if is_longer else expected
            np.testing.assert_array_equal(double, 2 * row)
            np.testing.assert_array_equal(found, expected)
            assert lods == [NO_LOD] * 2
            kept.append((found, expected))
    assert any(is_short(block))
    for found, expected in kept:
        np.testing.assert_array_equal(found, expected)


def test_a_choice_that_does_not_exist_raises_each_time() -> None:
    text = """
graph main(%x: float32[?, 8], %mask: int32[1]) {
  %a = relu(X=%x) : float32[?, 8]
  %m = cast(X=%mask) {in_dtype=2, out_dtype=3} : int64[1]
  %b = concat(X=[%a, %a]) {axis=0} : float32[?, 8]
  %y = select_input(X=[%a, %b], Mask=%m) : float32[?, 8]
  return %y
}
"""
    block = BlockRun(runtime_of(text, target="cpu"))
    x = floats(0, 2)[0]
    a = np.maximum(x, 0)
    for number in (0, 1, 0, 1, 1, 0):
        [y], _ = block([x, np.array([number], np.int32)], [NO_LOD] * 2)
        np.testing.assert_array_equal(y, [a, np.concatenate([a, a])][number])
    assert is_short(block) == [True]
    for _ in range(2):
        with pytest.raises(ExecutionError, match="select_input"):
            block([x, np.array([2], np.int32)], [NO_LOD] * 2)


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
    assert is_short(block) == [False]


def test_a_block_that_computes_nothing_takes_the_general_way() -> None:
    block = BlockRun(runtime_of(IDENTITY))
    x = floats(0, 3)[0]
    for _ in range(3):
        (y,), _ = block([x], [NO_LOD])
        np.testing.assert_array_equal(y, x)
        assert y is not x
    assert is_short(block) == [False]
