"""Branches that are known before a run: the same results, without nested runtimes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.runtime import Runtime
from lite.runtime.block_step import BlockStep
from lite.runtime.inlined import MAX_SIGNATURES, MAX_VALUES
from lite.runtime.nested import NestedRuntime
from lite.runtime.observe.memory_use import memory_use
from tests.lite.runtime.run_text import runtime_of

BY_SHAPE = """
graph main(%x: float32[?,?]) {
  %one = const int32[1] [1] : int32[1]
  %s = shape(Input=%x) : int32[2]
  %n = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
  %p = equal(X=%n, Y=%one) : bool[1]
  %not = logical_not(X=%p) : bool[1]
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : float32[*]
    graph block1(%x: float32[?,?]) {
      %a = squeeze2(X=%x) {axes=[1]} : float32[?]
      return %a
    }
  %b = conditional_block(Cond=%not, Input=%x) {carried=0, is_scalar_condition=true} : float32[*]
    graph block2(%x: float32[?,?]) {
      %w = const float32[1] [3.0] : float32[1]
      %b = elementwise_mul(X=%x, Y=%w) : float32[?,?]
      return %b
    }
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %y = select_input(X=[%b, %a], Mask=%mask) : float32[*]
  %z = relu(X=%y) : float32[*]
  return %z
}
"""


def blocks_of(runtime: NestedRuntime) -> int:
    """The number of steps that run a nested runtime."""
    steps = [step for segment in runtime.segments() for step in segment.steps]
    return sum(isinstance(step, BlockStep) for step in steps)


def floats(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def test_a_condition_on_shapes_is_resolved_for_each_signature() -> None:
    runtime = runtime_of(BY_SHAPE)
    for columns in (1, 4, 1, 2):
        x = floats(3, columns)
        [y], _ = runtime.run([x])
        np.testing.assert_array_equal(y, np.maximum(x[:, 0] if columns == 1 else 3 * x, 0))
    assert list(runtime.segments()) == []
    assert len(runtime.inlined) == 3
    assert [blocks_of(inner) for inner in runtime.inlined] == [0, 0, 0]
    assert [len(inner.plan.instructions) for inner in runtime.inlined] == [2, 2, 2]


def test_a_run_without_inlining_has_the_same_results() -> None:
    runtime = runtime_of(BY_SHAPE)
    nested = Runtime(runtime.state, inlines=False)
    for columns in (1, 4):
        x = floats(3, columns)
        np.testing.assert_array_equal(nested.run([x])[0][0], runtime.run([x])[0][0])
    assert nested.inlined == []
    assert blocks_of(nested) == 4


BY_VALUE = """
graph main(%n: int64[], %x: float32[2]) {
  %two = const int64[] [2] : int64[]
  %p = less_than(X=%n, Y=%two) : bool[]
  %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[2]
    graph block1(%x: float32[2]) {
      %x#1 = scale(X=%x) {scale=2.0} : float32[2]
      return x=%x#1
    }
  return x=%x#1
}
"""


def test_elements_of_small_integer_arguments_resolve_branches_up_to_a_limit() -> None:
    runtime = runtime_of(BY_VALUE)
    x = floats(2)
    for n in (*range(10), 0, 9):
        [y], _ = runtime.run([np.array(n), x])
        np.testing.assert_array_equal(y, 2 * x if n < 2 else x)
        assert not np.shares_memory(y, x)
    assert len(runtime.inlined) == MAX_VALUES
    assert blocks_of(runtime) == 1


def test_prepare_does_not_use_elements() -> None:
    runtime = runtime_of(BY_VALUE)
    runtime.prepare([np.array(0), floats(2)])
    assert runtime.inlined == []


def test_elements_of_floats_and_of_large_arguments_resolve_nothing() -> None:
    for declared, array in (("float32[]", np.array(1.0, np.float32)), ("int64[9]", np.arange(9))):
        text = BY_VALUE.replace("%n: int64[]", f"%m: {declared}").replace(
            "%p = less",
            "%s = reduce_max(X=%m) {reduce_all=true}\n%n = cast(X=%s) {out_dtype=3} : int64[]\n%p = less",
        )
        runtime = runtime_of(text)
        x = floats(2)
        for sign in (1, -1):
            [y], _ = runtime.run([array * sign, x])
            np.testing.assert_array_equal(y, 2 * x if (array * sign).max() < 2 else x)
        assert runtime.inlined == []


def test_the_counter_of_a_loop_resolves_nothing_in_its_body() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[1], %i: int64[1]) {
          %six = const int64[1] [6] : int64[1]
          %two = const int64[1] [2] : int64[1]
          %c = less_than(X=%i, Y=%six) : bool[1]
          %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i]) {carried=3} : bool[1], float32[1], int64[1]
            graph block1(%c: bool[1], %x: float32[1], %i: int64[1]) {
              %six = const int64[1] [6] : int64[1]
              %two = const int64[1] [2] : int64[1]
              %p = less_than(X=%i, Y=%two) : bool[1]
              %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[1]
                graph block2(%x: float32[1]) {
                  %x#1 = scale(X=%x) {scale=2.0} : float32[1]
                  return x=%x#1
                }
              %i#1 = increment(X=%i) {step=1.0} : int64[1]
              %c#1 = less_than(X=%i#1, Y=%six) : bool[1]
              return c=%c#1, x=%x#1, i=%i#1
            }
          return x=%x#1
        }
        """
    )
    [x], _ = runtime.run([np.array([3], np.float32), np.array([0])])
    np.testing.assert_array_equal(x, [12])
    steps: list[object] = [step for segment in runtime.segments() for step in segment.steps]
    [inner] = [step.inner for step in steps if isinstance(step, BlockStep)]
    assert inner.inlined == []
    assert blocks_of(inner) == 1


def test_branches_inside_branches_are_resolved() -> None:
    text = """
    graph main(%x: float32[?]) {
      %one = const int32[1] [1] : int32[1]
      %s = shape(Input=%x) : int32[1]
      %p = less_than(X=%one, Y=%s) : bool[1]
      %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[?]
        graph block1(%x: float32[?]) {
          %two = const int32[1] [2] : int32[1]
          %t = shape(Input=%x) : int32[1]
          %q = less_than(X=%two, Y=%t) : bool[1]
          %y = scale(X=%x) {scale=2.0} : float32[?]
          %y#1 = conditional_block(Cond=%q, Input=%y) {carried=1, is_scalar_condition=true} : float32[?]
            graph block2(%y: float32[?]) {
              %y#1 = scale(X=%y) {scale=5.0} : float32[?]
              return y=%y#1
            }
          return x=%y#1
        }
      return x=%x#1, first=%x
    }
    """
    runtime = runtime_of(text)
    for size, factor in ((1, 1), (2, 2), (3, 10)):
        x = floats(size)
        (y, first), _ = runtime.run([x])
        np.testing.assert_allclose(y, factor * x, rtol=1e-6)
        np.testing.assert_array_equal(first, x)
        assert not np.shares_memory(y, x)
        assert not np.shares_memory(y, first)
    assert [len(inner.plan.instructions) for inner in runtime.inlined] == [0, 1, 2]


def test_results_are_written_to_output_arrays() -> None:
    runtime = runtime_of(BY_SHAPE)
    x, out = floats(3, 4), np.empty((3, 4), np.float32)
    assert runtime.run([x], outputs={0: out})[0][0] is out
    np.testing.assert_array_equal(out, np.maximum(3 * x, 0))


def test_an_error_in_an_inlined_branch_names_the_op() -> None:
    text = BY_SHAPE.replace("squeeze2(X=%x) {axes=[1]}", "gather(X=%x, Index=%i) {axis=0}").replace(
        "%a = gather", "%i = const int32[1] [7] : int32[1]\n%a = gather"
    )
    with pytest.raises(ExecutionError, match="gather"):
        runtime_of(text).run([floats(3, 1)])


def test_the_number_of_inlined_runtimes_is_bounded() -> None:
    runtime = runtime_of(BY_SHAPE)
    for rows in range(1, MAX_SIGNATURES + 5):
        runtime.run([floats(rows, 2)])
    assert len(runtime.inlined) == MAX_SIGNATURES
    assert len(memory_use([runtime]).arenas) == MAX_SIGNATURES


def test_a_signature_in_use_keeps_its_runtime() -> None:
    runtime = runtime_of(BY_SHAPE)
    runtime.run([floats(100, 2)])
    [first] = runtime.inlined
    for rows in range(1, MAX_SIGNATURES + 5):
        runtime.run([floats(rows, 2)])
        runtime.run([floats(100, 2)])
    assert any(inner is first for inner in runtime.inlined)


def test_weights_and_packed_weights_are_shared_with_the_block() -> None:
    runtime = runtime_of(BY_SHAPE)
    runtime.run([floats(3, 4)])
    [inner] = runtime.inlined
    [index] = inner.plan.constants
    block = next(blocks[0] for blocks in reversed(runtime.state.blocks) if blocks)
    assert inner.state.aligned(index) is block.aligned(next(iter(block.plan.constants)))
    packed = inner.state.prepared(0, "packed", lambda: np.zeros(1))
    assert block.prepared(0, "packed", lambda: np.ones(1)) is packed
